import { postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { readLedger } from './ledger-oracle.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet({
    env: {
      UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '400',
      UPSTREAM_IDLE_TIMEOUT_MS: '400',
      UPSTREAM_TOTAL_TIMEOUT_MS: '2500',
    },
  })
}, 180_000)
afterAll(() => fleet?.stop(), 180_000)

describe('a slow provider', () => {
  it.each([false, true])('causes a 408 without a first byte in time, stream %s', async (stream) => {
    const response = await postChat(fleet, { model: 'sim/slow-3000', stream })
    expect(response.status).toBe(408)
    expect(await response.json()).toMatchObject({ error: { code: 'request_timeout', type: 'api_error' } })
  })

  it('causes an error without [DONE] when it stalls inside a stream', async () => {
    const seen = await readUntilBroken(await postChat(fleet, { model: 'sim/stall-900', stream: true }))
    expect(seen).toMatch(/data: \{"error":.*"code":"request_timeout"/)
    expect(seen).not.toContain('[DONE]')
  })

  it('may stream slowly for longer than the idle timeout', async () => {
    const response = await postChat(fleet, { model: 'sim/pace-50', stream: true, body: { max_tokens: 25 } })
    expect((await response.text()).endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it('is disconnected after the total timeout, even if it streams steadily', async () => {
    const call = { model: 'sim/pace-50', stream: true, body: { max_tokens: 1_000 } }
    expect(await readUntilBroken(await postChat(fleet, call))).toContain('request_timeout')
  })

  it('causes a charge only for the complete answer', async () => {
    const ledgerState = await readLedger(fleet.databaseUrl, fleet.workspace.workspaceId)
    expect(ledgerState).toMatchObject({ open: 0, held: 0n, posted: 1, violations: [] })
  })
})

async function readUntilBroken(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let seen = ''
  const reading = (async () => {
    for await (const chunk of response.body ?? []) seen += decoder.decode(chunk, { stream: true })
  })()
  await expect(reading).rejects.toThrow()
  return seen
}
