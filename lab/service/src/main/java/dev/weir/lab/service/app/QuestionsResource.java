package dev.weir.lab.service.app;

import io.dropwizard.jersey.errors.ErrorMessage;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** {@code GET /?user=87}: one query, its rows as JSON. */
@Path("/")
@Produces(MediaType.APPLICATION_JSON)
public final class QuestionsResource {
    private static final String OF_USER = """
            SELECT id, creationDate, closedDate, deletionDate, score, ownerUserId, answerCount
            FROM questions WHERE ownerUserId = :user ORDER BY id""";

    private final Jdbi jdbi;

    QuestionsResource(Jdbi jdbi) {
        this.jdbi = jdbi;
    }

    /**
     * Returns the user's questions, by their id.
     *
     * @throws WebApplicationException with 400 if the user is no number
     */
    @GET
    public List<Question> questions(@QueryParam("user") @Nullable String user) {
        int id = number(user);
        return jdbi.withHandle(handle -> handle.createQuery(OF_USER)
                .bind("user", id)
                .map((row, context) -> Question.of(row))
                .list());
    }

    private static int number(@Nullable String user) {
        try {
            if (user != null) {
                return Integer.parseInt(user);
            }
        } catch (NumberFormatException e) {
            // what it was is said below
        }
        String given = user == null ? "not given" : '"' + (user.length() > 40 ? user.substring(0, 40) : user) + '"';
        throw new WebApplicationException(Response.status(Response.Status.BAD_REQUEST)
                .type(MediaType.APPLICATION_JSON_TYPE)
                .entity(new ErrorMessage(400, "user: " + given + " (expected: a whole number, as in /?user=87)"))
                .build());
    }
}
