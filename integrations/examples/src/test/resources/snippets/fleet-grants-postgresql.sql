GRANT SELECT, INSERT, UPDATE ON weir_fleet TO orders;
GRANT SELECT, INSERT, UPDATE, DELETE ON weir_fleet_member TO orders;
