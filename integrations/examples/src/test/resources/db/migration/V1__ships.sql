create table ship (id int primary key, name varchar(40));
