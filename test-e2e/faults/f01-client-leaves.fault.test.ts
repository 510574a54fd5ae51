import { eventually } from '@ratchet/testing/eventually'
import { describeFault } from './describe-fault.ts'

const tokenEveryMs = 20

describeFault(
  {
    id: 'F1',
    title: 'a client leaves its stream',
    promise: 'the provider is told within 100 ms; charged are the tokens produced until then',
  },
  (fault) => {
    it('stops the provider and charges what it produced', async () => {
      const leaving = new AbortController()
      const call = {
        model: `sim/pace-${tokenEveryMs}`,
        stream: true,
        body: { max_tokens: 500 },
        signal: leaving.signal,
      }
      const { response, read } = await fault.begin(call)
      const reading = read()
      await eventually(async () =>
        (await callOf(fault.fleet)).tokens_emitted > 10 + 20 * fault.random() ? true : null,
      )
      const leftAtMs = Date.now()
      leaving.abort()
      expect((await reading).whole).toBe(false)
      const seen = await eventually(async () => {
        const call = await callOf(fault.fleet)
        return call.peer_left_at_ms === null ? null : call
      })
      const toldMs = (seen.peer_left_at_ms ?? 0) - leftAtMs
      fault.note('the provider was told after, ms', Math.round(toldMs))
      fault.note('tokens produced', seen.tokens_emitted)
      expect(response.status).toBe(200)
      expect(toldMs).toBeLessThan(100)
    }, 30_000)
  },
)

async function callOf({ provider }: { provider: { report(): Promise<{ requests: readonly Call[] }> } }): Promise<Call> {
  const { requests } = await provider.report()
  const [last] = requests.slice(-1)
  if (last === undefined) throw new Error('the provider was not called')
  return last
}

interface Call {
  readonly tokens_emitted: number
  readonly peer_left_at_ms: number | null
}
