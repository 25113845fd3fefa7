create table harbour (id int primary key);
insert into harbour values (1), (2);
