GRANT SELECT, INSERT, UPDATE ON shop.weir_fleet TO orders@'%';
GRANT SELECT, INSERT, UPDATE, DELETE ON shop.weir_fleet_member TO orders@'%';
GRANT SELECT ON performance_schema.session_connect_attrs TO orders@'%';
