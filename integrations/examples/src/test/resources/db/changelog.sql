--liquibase formatted sql

--changeset shop:1
create table ship (id int primary key, name varchar(40));
