import type { Pool } from '@ratchet/db/connect-pool'
import { type BlockEntry, encodeBlock } from '@ratchet/db/content-block'
import { createdMs, type DayRange, type LoadOptions } from './load-plan.ts'
import type { Text } from './load-texts.ts'

export interface BlockLoad extends LoadOptions {
  readonly texts: readonly Text[]
  readonly day: DayRange
}

/** As many exchanges as a full block of the log has. */
export const exchangesPerBlock = 32
const blocksPerStatement = 100

interface Place {
  readonly n: number
  readonly text: number
}

/** Stores the contents of a day's exchanges in blocks. The server says which text each exchange has. */
export async function loadBlocks(pool: Pool, load: BlockLoad): Promise<void> {
  const { day, workspaceId } = load
  const table = `exchange_block_${day.expiresOn.replaceAll('-', '')}`
  await pool.query(`ALTER TABLE ${table} SET UNLOGGED`)
  const step = exchangesPerBlock * blocksPerStatement
  const from = day.first - (day.first % exchangesPerBlock)
  for (let first = from; first <= day.last; first += step) {
    const places = await placesOf(pool, load, { first, last: first + step - 1 })
    const blocks = [...Map.groupBy(places, ({ n }) => Math.floor(n / exchangesPerBlock))]
    const rows = blocks.map((_, i) => `('${day.expiresOn}', $${3 * i + 2}, $1, $${3 * i + 3}, $${3 * i + 4})`)
    const values = blocks.flatMap(([number, members]) => [
      `00000000-0000-7000-a${hexOf(number)}`,
      members.length,
      encodeBlock(members.map((member) => entryOf(load, member))),
    ])
    await pool.query(
      `INSERT INTO ${table} (expires_on, id, workspace_id, exchanges, content) VALUES ${rows.join(', ')}`,
      [workspaceId, ...values],
    )
  }
}

async function placesOf(pool: Pool, { texts, day }: BlockLoad, range: { first: number; last: number }) {
  const values = [texts.length, Math.max(range.first, day.first), Math.min(range.last, day.last)]
  const text =
    'SELECT n::int, ((hashint8(n) & 1048575) % $1)::int AS text FROM generate_series($2::bigint, $3::bigint) n'
  return (await pool.query<Place>(text, values)).rows
}

function entryOf(load: BlockLoad, { n, text }: Place): BlockEntry {
  const { system, user, answer } = load.texts[text] as Text
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: `order${n} ${user}` },
  ]
  const time = createdMs(load, n).toString(16).padStart(12, '0')
  return {
    id: `${time.slice(0, 8)}-${time.slice(8)}-7000-8${hexOf(n)}`,
    content: {
      messages: JSON.stringify(messages),
      response: JSON.stringify({ role: 'assistant', content: answer }),
      tools: null,
      responseFormat: null,
      params: '{"temperature":0.7}',
    },
  }
}

/** The last fifteen digits of a UUID. */
function hexOf(number: number): string {
  const digits = number.toString(16).padStart(15, '0')
  return `${digits.slice(0, 3)}-${digits.slice(3)}`
}
