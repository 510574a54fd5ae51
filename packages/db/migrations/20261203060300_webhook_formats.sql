-- What a webhook understands: messages of Standard Webhooks, or those of a channel of Slack or Teams.
ALTER TABLE "webhook" ADD COLUMN "format" TEXT NOT NULL DEFAULT 'standard';
