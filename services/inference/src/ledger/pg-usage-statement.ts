/**
 * Adds `parts` to the usage of the hour in which they are entered in the ledger, for a statement that locked their
 * wallets. `parts` has the columns wallet_id, kind, model, key_id, tag, alias, requests, prompt_tokens, completion_tokens
 * and cost. The rows of a wallet are written under its lock, so they cannot deadlock.
 */
export const addUsage = (parts: string) => `
  INSERT INTO usage_hour AS u
    (wallet_id, hour, kind, model, key_id, tag, alias, requests, prompt_tokens, completion_tokens, cost)
  SELECT wallet_id, date_trunc('hour', now(), 'UTC'), kind, model,
    coalesce(key_id, '00000000-0000-0000-0000-000000000000'), coalesce(tag, ''), coalesce(alias, ''), sum(requests),
    coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0), sum(cost)
  FROM ${parts}
  GROUP BY wallet_id, kind, model, 5, 6, 7
  ON CONFLICT (wallet_id, hour, kind, model, key_id, tag, alias) DO UPDATE SET
    requests = u.requests + excluded.requests, prompt_tokens = u.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = u.completion_tokens + excluded.completion_tokens, cost = u.cost + excluded.cost`

/**
 * The same for those of `parts` with an end user, which has the column end_user_id too. It is another statement because nearly no
 * charge has one.
 */
const addUserUsage = (parts: string) => `
  INSERT INTO usage_user_hour AS u
    (wallet_id, hour, end_user_id, key_id, model, requests, prompt_tokens, completion_tokens, cost)
  SELECT wallet_id, date_trunc('hour', now(), 'UTC'), end_user_id,
    coalesce(key_id, '00000000-0000-0000-0000-000000000000'), model, sum(requests),
    coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0), sum(cost)
  FROM ${parts} WHERE end_user_id IS NOT NULL
  GROUP BY wallet_id, end_user_id, 4, model
  ON CONFLICT (wallet_id, hour, end_user_id, key_id, model) DO UPDATE SET
    requests = u.requests + excluded.requests, prompt_tokens = u.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = u.completion_tokens + excluded.completion_tokens, cost = u.cost + excluded.cost`

/** The parts of a statement that add usage, of everything and of end users. */
export const usageParts = (parts: string) => `used AS (${addUsage(parts)}),
used_by AS (${addUserUsage(parts)})`
