GRANT SELECT, INSERT, UPDATE, DELETE ON weir_fleet, weir_fleet_member TO orders;
