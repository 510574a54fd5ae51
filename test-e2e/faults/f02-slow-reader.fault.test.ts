import { startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { eventually } from '@ratchet/testing/eventually'
import { ledgerAtRest } from '../ledger-oracle.ts'
import { describeFault } from './describe-fault.ts'
import type { Begun } from './fault-clients.ts'
import { memoryGrowthMb } from './resident-memory.ts'

/** 60 s in production. */
const stalledMs = 8_000
const streams = 16
/** Includes memory that is not garbage collected yet. */
const bytesPerToken = 100
/** Each answer has about 73 MB of events, more than all socket buffers on its path can hold (up to half of it). */
const large = { model: 'sim/echo', stream: true, content: 'word '.repeat(6_400), body: { n: 32, max_tokens: 8_000 } }

describeFault(
  {
    id: 'F2',
    title: 'clients read at 1 kB/s, or stop reading',
    promise:
      'back-pressure reaches the provider; besides the text so far, which is billed and logged (100 bytes a token), no process grows by more than 50 MB; a write that stalls too long ends the stream, and what was produced is charged',
    fleet: {
      workspace: { balanceUsd: '1000.00' },
      env: { STALLED_CLIENT_MS: String(stalledMs), SLOW_READER_TIMEOUT_MS: String(stalledMs) },
    },
  },
  (fault) => {
    it('slows the provider down, then ends the streams', async () => {
      const { fleet } = fault
      const edge = fleet.edges[0] ?? fleet.inference
      // A process keeps the memory of its first large answer, and of the vocabulary that counts broken ones, for the next.
      expect(await fault.ask(large)).toMatchObject({ whole: true })
      const leaving = new AbortController()
      const left = await fault.begin({ ...large, signal: leaving.signal })
      leaving.abort()
      expect(await left.read()).toMatchObject({ whole: false })
      await eventually(async () => expect(await unfinished()).toEqual([]))
      // The vocabulary is loaded to charge what was left, after the provider was left: on a busy machine half a second later.
      expect(await ledgerAtRest(fleet, fleet.workspace)).toMatchObject({ posted: 2, violations: [] })
      await fleet.provider.reset()
      const slow = await startChaosProxy({ targetPort: Number(new URL(fleet.url).port) })
      try {
        slow.rate(1_000)
        const begun: Begun[] = []
        const startedAt = performance.now()
        const grown = await memoryGrowthMb([edge, fleet.inference], async () => {
          const url = `http://127.0.0.1:${slow.port}`
          begun.push(...(await Promise.all(Array.from({ length: streams }, () => fault.begin({ ...large, url })))))
          await eventually(async () => expect(await unfinished()).toEqual([]), { withinMs: 90_000, everyMs: 250 })
        })
        const { requests } = await fleet.provider.report({ model: large.model })
        const leftMs = requests.map((each) => (each.peer_left_at_ms ?? Number.NaN) - each.started_at_ms)
        fault.note('streams × MB each', `${streams} × 73`)
        fault.note('MB that the provider could send of each, at most', maxMb(requests))
        const tokens = requests.reduce((sum, { tokens_emitted }) => sum + tokens_emitted, 0)
        const textMb = Math.round((tokens * bytesPerToken) / 1e6)
        fault.note('growth of the largest process, MB (of it for text, at most)', `${grown} (${textMb})`)
        fault.note(
          `aborted after (${stalledMs} ms set), ms`,
          `${Math.round(Math.min(...leftMs))} to ${Math.round(Math.max(...leftMs))}`,
        )
        expect(requests.filter(({ completed }) => completed)).toEqual([])
        expect(Math.min(...leftMs)).toBeGreaterThanOrEqual(stalledMs)
        expect(performance.now() - startedAt).toBeLessThan(stalledMs + 60_000)
        expect(grown).toBeLessThan(50 + textMb)
      } finally {
        await slow.stop()
      }
    }, 150_000)

    async function unfinished() {
      const { requests } = await fault.fleet.provider.report({ model: large.model })
      return requests
        .filter(({ completed, peer_left_at_ms }) => !completed && peer_left_at_ms === null)
        .map(({ id }) => id)
    }
  },
)

function maxMb(requests: readonly { readonly bytes_emitted: number }[]): number {
  return Math.round(Math.max(...requests.map(({ bytes_emitted }) => bytes_emitted)) / 1e6)
}
