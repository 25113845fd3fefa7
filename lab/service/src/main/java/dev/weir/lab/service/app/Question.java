package dev.weir.lab.service.app;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * A question as it is answered; the dates are those of UTC.
 *
 * @param id of the question
 * @param creationDate when it was asked
 * @param closedDate when it was closed, or null
 * @param deletionDate when it was deleted, or null
 * @param score votes for it less those against
 * @param ownerUserId who asked, or null if nobody knows
 * @param answerCount its answers, or null if nobody counted
 */
public record Question(
        int id,

        @JsonFormat(shape = JsonFormat.Shape.STRING) @Nullable
        LocalDate creationDate,

        @JsonFormat(shape = JsonFormat.Shape.STRING) @Nullable
        LocalDate closedDate,

        @JsonFormat(shape = JsonFormat.Shape.STRING) @Nullable
        LocalDate deletionDate,

        @Nullable Integer score,
        @Nullable Integer ownerUserId,
        @Nullable Integer answerCount) {

    static Question of(ResultSet row) throws SQLException {
        return new Question(
                row.getInt("id"),
                date(row, "creationDate"),
                date(row, "closedDate"),
                date(row, "deletionDate"),
                row.getObject("score", Integer.class),
                row.getObject("ownerUserId", Integer.class),
                row.getObject("answerCount", Integer.class));
    }

    private static @Nullable LocalDate date(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.withOffsetSameInstant(ZoneOffset.UTC).toLocalDate();
    }
}
