create table ship (id bigint primary key, name text not null);
insert into ship values (1, 'Argo');
