import type { Pool } from '@ratchet/db/connect-pool'
import type { LoadOptions } from './load-plan.ts'

/** Texts from which the contents are made. An exchange takes one of them, and adds a word that no other has. */
export interface Text {
  readonly system: string
  readonly user: string
  readonly answer: string
}

const segments = 50

/** A multiple of the number of segments, so that a text's system prompt belongs to its segment. */
function textCount(exchanges: number): number {
  return Math.min(50_000, segments * Math.ceil(exchanges / segments))
}

/** Makes the texts and the hashes of their words. */
export async function createTexts(
  pool: Pool,
  { workspaceId, exchanges, hasContents = true }: LoadOptions,
): Promise<void> {
  await pool.query(`
    CREATE TABLE load_prose AS SELECT string_agg(word, ' ' ORDER BY place) AS text FROM (${prose}) w;
    CREATE TABLE load_text (k bigint PRIMARY KEY, system text, "user" text, answer text, words bigint[])`)
  await pool.query(
    `INSERT INTO load_text SELECT k, system, "user", answer, 
       CASE WHEN $3 THEN exchange_words($1::uuid, system || ' ' || "user", answer) ELSE '{}' END
     FROM (
       SELECT k, 'You are assistant ' || k % 50 || '.' AS system, substr(text, 1 + r % 40000, 900) AS "user",
         substr(text, 1 + (r / 7) % 40000, 450) AS answer
       FROM generate_series(0, $2::bigint - 1) k, LATERAL (SELECT hashint8(k) & 1048575 AS r) random, load_prose
     ) texts`,
    [workspaceId, hasContents ? textCount(exchanges) : segments, hasContents],
  )
  await pool.query('DROP TABLE load_prose; ANALYZE load_text')
}

/** The texts in the order of their numbers. */
export async function readTexts(pool: Pool): Promise<readonly Text[]> {
  return (await pool.query<Text>('SELECT system, "user", answer FROM load_text ORDER BY k')).rows
}

/** Five thousand different words, some of them much more frequent than the others. */
const prose = `
  SELECT place, 'word' || to_hex((power(random(), 4) * 5000)::int) AS word FROM generate_series(1, 6000) place`
