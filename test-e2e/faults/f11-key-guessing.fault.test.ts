import { randomBytes } from 'node:crypto'
import { mintApiKey } from '@ratchet/contracts/api-key'
import pg from 'pg'
import { workspaceWith } from '../workspace-with.ts'
import { describeFault } from './describe-fault.ts'

/** Few, so that their look-ups rarely share a statement. */
const guessers = 3
const guesses = 900
/** Number of timed requests of each kind. */
const timed = 60
/** One statement per 50 ms for a guessing address, and the number before it is detected. */
const maxLookupsPerSecond = 20
const before = 300
const windowSeconds = 10

describeFault(
  {
    id: 'F11',
    title: 'a client guesses keys',
    promise:
      'one 401 for every bad key, in the same time; an address that guesses gets 429 and costs the database 300 statements in ten seconds and 20 a second; valid keys from it pass',
    fleet: { env: { UNKNOWN_KEYS_PER_ADDRESS: String(before) } },
  },
  (fault) => {
    it('answers malformed, unknown and revoked keys alike', async () => {
      const [revoked = '', ...more] = await revokedKeys(timed + 1)
      const answers = [
        ...(await bodies(['', 'nonsense', 'sk_svc_', `sk_svc_${'a'.repeat(48)}`])),
        ...(await bodies([unknownKey(), revoked])),
      ]
      expect(new Set(answers).size).toBe(1)
      const times = { unknown: [] as number[], revoked: [] as number[] }
      for (const key of more) {
        times.unknown.push((await ask(unknownKey())).ms)
        times.revoked.push((await ask(key)).ms)
      }
      const medians = [median(times.unknown), median(times.revoked)]
      fault.note('401 for unknown / revoked keys, median ms', medians.map((ms) => ms.toFixed(2)).join(' / '))
      expect(Math.abs((medians[0] ?? 0) - (medians[1] ?? 0))).toBeLessThan(1)
    }, 60_000)

    it('causes a limited rate of statements, and does not affect valid keys', async () => {
      const sent = { byStatus: new Map<number, number>(), startedAt: performance.now(), statements: await lookups() }
      let left = guesses
      const guess = async () => {
        while (left-- > 0) {
          const { status } = await ask(unknownKey())
          sent.byStatus.set(status, (sent.byStatus.get(status) ?? 0) + 1)
        }
      }
      await Promise.all(Array.from({ length: guessers }, guess))
      const seconds = (performance.now() - sent.startedAt) / 1_000
      const statements = (await lookups()) - sent.statements
      fault.note('guesses per second', Math.round(guesses / seconds))
      fault.note('401, 429', `${sent.byStatus.get(401) ?? 0}, ${sent.byStatus.get(429) ?? 0}`)
      fault.note('look-up statements', statements)
      expect([...sent.byStatus.keys()].sort()).toEqual([401, 429])
      expect(statements).toBeLessThan(before * (1 + seconds / windowSeconds) + maxLookupsPerSecond * (seconds + 1))
      left = guesses / 10
      const asked = await fault.askDuring({ model: 'sim/echo' }, () =>
        Promise.all(Array.from({ length: guessers }, guess)),
      )
      expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]))
    }, 60_000)

    async function ask(apiKey: string) {
      const startedAt = performance.now()
      const headers = { authorization: `Bearer ${apiKey}` }
      const response = await fetch(`${fault.fleet.url}/v1/models`, { headers })
      return { status: response.status, text: await response.text(), ms: performance.now() - startedAt }
    }

    /** Status and body of each, without the request's id. */
    async function bodies(keys: readonly string[]): Promise<readonly string[]> {
      const answers = []
      for (const key of keys) answers.push(await ask(key))
      return answers.map(({ status, text }) => `${status} ${text.replace(/"request_id":"[^"]+"/, '')}`)
    }

    /** Number of look-ups of keys, as the database counts scans of the table. */
    async function lookups(): Promise<number> {
      const rows = await query(
        'SELECT pg_stat_clear_snapshot(), sum(idx_scan + seq_scan)::int AS n FROM pg_stat_user_tables WHERE relname = $1',
        ['api_key'],
      )
      return Number(rows[0]?.n)
    }

    /** Each can be used once, because the edge caches bad keys for five seconds. */
    async function revokedKeys(count: number): Promise<readonly string[]> {
      const { workspaceId, addMember } = await workspaceWith(fault.fleet)
      const members = []
      for (let i = 0; i < count; i++) members.push(await addMember('member'))
      await query('UPDATE api_key SET revoked_at = now() WHERE workspace_id = $1', [workspaceId])
      return members.map(({ apiKey }) => apiKey)
    }

    async function query(text: string, values: readonly unknown[]) {
      const client = new pg.Client({ connectionString: fault.fleet.databaseUrl })
      await client.connect()
      try {
        return (await client.query<{ n?: number }>(text, [...values])).rows
      } finally {
        await client.end()
      }
    }
  },
)

function unknownKey(): string {
  return mintApiKey('sk_svc_', randomBytes)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
