import { CurateFromLogs } from '@ratchet/contracts/datasets'
import type { Identity } from '@ratchet/contracts/identity'
import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { eventually } from '@ratchet/testing/eventually'
import type { ExchangeReads } from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import { type CurateDeps, curateFromLogs } from './curate-from-logs.ts'
import { createCurationPlaces, unlimitedCuration } from './curation-places.ts'

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
    curationPlaces: unlimitedCuration,
    slicedWork: createSlicedWork(),
    now: () => new Date(),
  } as Partial<CurateDeps> as CurateDeps
  const body = CurateFromLogs.parse({ name: 'd', dry_run: true })
  await expect(curateFromLogs(deps, { body, identity: { workspaceId: 'w' } as Identity })).rejects.toMatchObject({
    code: 'invalid_request',
    param: 'filters',
  })
})

/**
 * A log of three exchanges for the workspace `small`, and of any number for the others. Reading it from the beginning never
 * ends when a workspace does so again, and the workspace is added to `held`.
 */
function logOfMany(held: string[]): Pick<ExchangeReads, 'page' | 'contents'> {
  const known = { createdAt: new Date(), sizeBytes: 1_000, traceId: null, conversationId: null, finishReason: 'stop' }
  const begun = new Set<string>()
  let id = 0
  return {
    async page({ workspaceId, limit, after }) {
      if (after === null && begun.has(workspaceId)) {
        held.push(workspaceId)
        return new Promise(() => undefined)
      }
      begun.add(workspaceId)
      return Array.from({ length: workspaceId === 'small' ? 3 : limit }, () => {
        id += 1
        return { ...known, id: `e${id}` } as LoggedExchange
      })
    },
    contents: async (_scope, some) => new Map(some.map((row) => [row.id, { ...short, messages: asked(row.id) }])),
  }
}

const asked = (content: string) => JSON.stringify([{ role: 'user', content }])
const short = { response: '{"role":"assistant","content":"1"}', tools: null, responseFormat: null, params: '{}' }

it('makes a small dataset while large ones of other workspaces occupy all of their places', async () => {
  const held: string[] = []
  const deps = {
    exchanges: logOfMany(held),
    curationPlaces: createCurationPlaces(),
    slicedWork: createSlicedWork(),
    now: () => new Date(),
  } as Partial<CurateDeps> as CurateDeps
  const body = CurateFromLogs.parse({ name: 'd', dry_run: true })
  const curate = (workspaceId: string) => curateFromLogs(deps, { body, identity: { workspaceId } as Identity })
  for (const workspaceId of ['a', 'b', 'c', 'd']) curate(workspaceId).catch(() => undefined)
  await eventually(() => expect(held).toHaveLength(4))
  const startedAt = performance.now()
  const { summary } = await curate('small')
  expect(summary.matched).toBe(3)
  expect(performance.now() - startedAt).toBeLessThan(5_000)
  expect(held).toHaveLength(4)
})
