package dev.weir.internal.sessions;

import java.util.Set;

/** Names that MariaDB has built in, as of version 10.3: of a later function a user may have written one of that name. */
final class MariaDbNames {
    /** Functions that leave nothing, and read nothing that an earlier text of the session left. */
    static final Set<String> FUNCTIONS = Findings.words("""
            abs acos adddate addtime aes_decrypt aes_encrypt ascii asin atan atan2 avg benchmark bin bit_and
            bit_count bit_length bit_or bit_xor cast ceil ceiling char char_length character_length charset chr
            coalesce coercibility collation column_check column_exists column_get column_json column_list compress
            concat concat_ws conv convert convert_tz cos cot count crc32 curdate current_date current_time
            current_timestamp current_user curtime database date date_add date_format date_sub datediff day dayname
            dayofmonth dayofweek dayofyear degrees elt exists exp export_set extract extractvalue field find_in_set
            floor format from_base64 from_days from_unixtime greatest group_concat hex hour if ifnull inet6_aton
            inet6_ntoa inet_aton inet_ntoa insert instr interval is_ipv4 is_ipv4_compat is_ipv4_mapped is_ipv6
            isnull json_array json_array_append json_array_insert json_compact json_contains json_contains_path
            json_depth json_detailed json_exists json_extract json_insert json_keys json_length json_loose
            json_merge json_object json_query json_quote json_remove json_replace json_search json_set json_type
            json_unquote json_valid json_value last_day lcase least left length ln localtime localtimestamp locate
            log log10 log2 lower lpad ltrim make_set makedate maketime match max md5 microsecond mid min minute mod
            month monthname name_const now nullif oct octet_length ord period_add period_diff pi position pow power
            quarter quote radians rand regexp_instr regexp_replace regexp_substr repeat replace reverse right round
            rpad rtrim schema sec_to_time second session_user sha sha1 sha2 sign sin sleep soundex space sqrt std
            stddev stddev_pop stddev_samp str_to_date strcmp subdate substr substring substring_index subtime sum
            sysdate system_user tan time time_format time_to_sec timediff timestamp timestampadd timestampdiff
            to_base64 to_days to_seconds trim truncate ucase uncompress uncompressed_length unhex unix_timestamp
            updatexml upper user utc_date utc_time utc_timestamp uuid uuid_short values var_pop var_samp variance
            version week weekday weekofyear weight_string year yearweek
            """);

    /** These are functions where OVER follows, and a user's otherwise. */
    static final Set<String> WINDOWED = Findings.words("""
            cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number
            """);

    /** Of the functions, those that are a user's where a space follows, unless {@code sql_mode} has {@code IGNORE_SPACE}. */
    static final Set<String> NOT_SPACED = Findings.words("""
            adddate bit_and bit_or bit_xor cast count curdate curtime date_add date_sub extract group_concat max mid min
            now position session_user std stddev stddev_pop stddev_samp subdate substr substring sum sysdate
            system_user trim var_pop var_samp variance
            """);

    /** Reserved words, which name no function of a user's, and types in a CAST. */
    static final Set<String> KEYWORDS = Findings.words("""
            all and as asc between bigint binary both by case check collate cross decimal default delete desc distinct div
            double else except exists float for force foreign from group having ignore in index inner int integer
            intersect into is join key leading like limit natural not null numeric on or order outer over partition
            primary regexp returning rlike select set smallint sounds straight_join then tinyint trailing union unique
            update use using varbinary varchar when where with xor
            """);

    /** Of what the session keeps of its last statement. */
    static final Set<String> READS = Findings.words("found_rows last_insert_id row_count");

    /**
     * Settings of a session that a user may set, and that stand for themselves: neither the driver nor the lexer reads by
     * them, and they do no harm to a session that is idle, or to the pool's own texts.
     */
    static final Set<String> SETTINGS = Findings.words("""
            bulk_insert_buffer_size check_constraint_checks default_week_format div_precision_increment
            foreign_key_checks group_concat_max_len idle_readonly_transaction_timeout idle_transaction_timeout
            idle_write_transaction_timeout innodb_lock_wait_timeout innodb_strict_mode join_buffer_size lc_messages
            lc_time_names lock_wait_timeout max_error_count max_heap_table_size max_recursive_iterations
            max_sort_length max_statement_time net_read_timeout net_write_timeout optimizer_prune_level
            optimizer_search_depth optimizer_switch optimizer_use_condition_selectivity read_buffer_size
            read_rnd_buffer_size sort_buffer_size sql_notes sql_safe_updates sql_warnings time_zone unique_checks
            """);

    private MariaDbNames() {}
}
