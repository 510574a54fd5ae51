-- Wakes workers that wait for work. They poll rarely while nothing changes, so every change that makes work due by now
-- notifies them. Work that becomes due later is found by polling. Times are stored in milliseconds, rounded, so `now()` may
-- be stored as half a millisecond later.
CREATE FUNCTION "notify_work"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('ratchet_work', '');
  RETURN NULL;
END $$;

CREATE TRIGGER "judgement_created" AFTER INSERT ON "judgement" FOR EACH ROW EXECUTE FUNCTION "notify_work"();
CREATE TRIGGER "judge_run_created" AFTER INSERT ON "judge_run" FOR EACH ROW EXECUTE FUNCTION "notify_work"();
CREATE TRIGGER "judge_run_changed" AFTER UPDATE ON "judge_run" FOR EACH ROW
  WHEN (NEW."status" <> OLD."status") EXECUTE FUNCTION "notify_work"();
CREATE TRIGGER "judging_notice_created" AFTER INSERT ON "judging_notice" FOR EACH ROW EXECUTE FUNCTION "notify_work"();

CREATE TRIGGER "eval_sample_created" AFTER INSERT ON "eval_sample" FOR EACH ROW EXECUTE FUNCTION "notify_work"();
CREATE TRIGGER "eval_run_created" AFTER INSERT ON "eval_run" FOR EACH ROW EXECUTE FUNCTION "notify_work"();
CREATE TRIGGER "eval_run_changed" AFTER UPDATE ON "eval_run" FOR EACH ROW
  WHEN (NEW."status" <> OLD."status") EXECUTE FUNCTION "notify_work"();

CREATE TRIGGER "alias_created" AFTER INSERT ON "alias" FOR EACH ROW EXECUTE FUNCTION "notify_work"();
-- A worker that begins an evaluation sets the time of the next one, which is later.
CREATE TRIGGER "alias_changed" AFTER UPDATE ON "alias" FOR EACH ROW
  WHEN (NEW."look_due_at" <= now() + interval '1 ms') EXECUTE FUNCTION "notify_work"();
CREATE TRIGGER "shadow_sample_created" AFTER INSERT ON "shadow_sample" FOR EACH ROW EXECUTE FUNCTION "notify_work"();
CREATE TRIGGER "webhook_enabled" AFTER UPDATE ON "webhook" FOR EACH ROW
  WHEN (NEW."enabled" AND NOT OLD."enabled") EXECUTE FUNCTION "notify_work"();
CREATE TRIGGER "webhook_delivery_created" AFTER INSERT ON "webhook_delivery" FOR EACH ROW EXECUTE FUNCTION "notify_work"();
CREATE TRIGGER "webhook_delivery_changed" AFTER UPDATE ON "webhook_delivery" FOR EACH ROW
  WHEN (NEW."status" = 'pending' AND NEW."due_at" <= now() + interval '1 ms') EXECUTE FUNCTION "notify_work"();
