import { CurateFromLogs } from '@ratchet/contracts/datasets'
import type { Identity } from '@ratchet/contracts/identity'
import { unlimitedPlaces } from '@ratchet/service-kit/timing/fair-places'
import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import type { ExchangeReads } from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import { type CurateDeps, curateFromLogs } from './curate-from-logs.ts'

const answersOfOne = 1_000

/** A log of so many exchanges, each the end of a conversation of very many short answers. */
function logOf(count: number): Pick<ExchangeReads, 'page' | 'contents'> {
  const known = { createdAt: new Date(), sizeBytes: 400_000, traceId: null, conversationId: null, finishReason: 'stop' }
  const rows = Array.from({ length: count }, (_, index) => ({ ...known, id: `e${index}` }) as LoggedExchange)
  const turns = Array.from({ length: answersOfOne }, () => ({ role: 'assistant', content: '1' }))
  const content = {
    messages: JSON.stringify([{ role: 'user', content: 'Count.' }, ...turns]),
    response: '{"role":"assistant","content":"1"}',
    tools: null,
    responseFormat: null,
    params: '{}',
  }
  return {
    page: async () => rows,
    contents: async (_scope, some) => new Map(some.map(({ id }) => [id, content])),
  }
}

it('refuses conversations whose answers would not fit into memory', async () => {
  const deps = {
    exchanges: logOf(12),
    maxEarlier: 10_000,
    curationPlaces: unlimitedPlaces,
    slicedWork: createSlicedWork(),
    now: () => new Date(),
  } as Partial<CurateDeps> as CurateDeps
  const body = CurateFromLogs.parse({ name: 'd', dry_run: true })
  await expect(curateFromLogs(deps, { body, identity: { workspaceId: 'w' } as Identity })).rejects.toMatchObject({
    code: 'invalid_request',
    param: 'filters',
  })
})
