import type { Endpoint } from '@ratchet/contracts/endpoint'
import { fleetIdentity } from '@ratchet/contracts/identity'
import { freshExchanges, samplePrompts, sampleRuns } from '@ratchet/contracts/internal-logs'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { createLogReader } from './create-log-reader.ts'
import { LoggingIsOff } from './log-reader.ts'

/** A logging service that answers only this endpoint, and validates the call. */
function logThat(answers: Endpoint, reply: object | FleetCallError) {
  const bodies: unknown[] = []
  const queries: unknown[] = []
  const call = async (endpoint: Endpoint, { body, query }: { readonly body?: unknown; readonly query?: object }) => {
    expect(endpoint).toBe(answers)
    if (query === undefined) bodies.push(endpoint.body.parse(body))
    else queries.push(query)
    if (reply instanceof FleetCallError) throw reply
    return reply
  }
  return { reader: createLogReader({ call } as unknown as FleetClient), bodies, queries }
}

const off = new FleetCallError('off', { status: 409, code: 'logging_disabled' })
const unavailable = new FleetCallError('no answer', { status: 0 })
const prompts = { filters: { tag: 't' }, count: 5, seed: 3 }
const runs = { filters: { segment: 's' }, maxSteps: 9, seed: 3 }

describe('the log reader', () => {
  it('gives prompts, and the number of examined exchanges', async () => {
    const row = { id: 'log_1' }
    const { reader, bodies } = logThat(samplePrompts, { total: 9, looked_at: 8, distinct: 7, data: [row] })
    expect(await reader.prompts(fleetIdentity, prompts)).toEqual({ total: 9, examined: 8, distinct: 7, rows: [row] })
    expect(bodies).toEqual([prompts])
  })

  it('gives complete runs', async () => {
    const steps = [{ id: 'log_1' }]
    const data = [{ trace_id: 'r', steps }]
    const { reader, bodies } = logThat(sampleRuns, { total_runs: 9, eligible_steps: 90, data })
    const sample = await reader.runs(fleetIdentity, runs)
    expect(sample).toEqual({ totalRuns: 9, eligibleSteps: 90, runs: [{ traceId: 'r', steps }] })
    expect(bodies).toEqual([{ filters: { segment: 's' }, max_steps: 9, seed: 3 }])
  })

  it('gives fresh exchanges, of all traffic or of one alias', async () => {
    const after = crypto.randomUUID()
    const { reader, queries } = logThat(freshExchanges, { data: [{ id: 'log_1' }] })
    expect(await reader.fresh(fleetIdentity, after, 9)).toEqual([{ id: 'log_1' }])
    expect(await reader.freshOf(fleetIdentity, { alias: 'bot', after, limit: 9 })).toEqual([{ id: 'log_1' }])
    expect(queries).toEqual([
      { after, limit: 9 },
      { alias: 'bot', after, limit: 9 },
    ])
  })

  it('distinguishes logging that is off from a log that is unavailable', async () => {
    const reading = (error: FleetCallError) => [
      logThat(samplePrompts, error).reader.prompts(fleetIdentity, prompts),
      logThat(sampleRuns, error).reader.runs(fleetIdentity, runs),
    ]
    for (const read of reading(off)) await expect(read).rejects.toBeInstanceOf(LoggingIsOff)
    for (const read of reading(unavailable)) await expect(read).rejects.toBe(unavailable)
  })
})
