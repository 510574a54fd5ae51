-- The oldest events of an endpoint are deleted with each new one.
GRANT DELETE ON "dedicated_event" TO ratchet_training;
