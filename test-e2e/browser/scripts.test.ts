import { dashboardEndpoints } from '@ratchet/contracts/dashboard/dashboard-endpoints'
import { endpoints } from '@ratchet/contracts/endpoints'
import { fineTuningJobPages } from '@ratchet/contracts/fine-tuning-list'
import { z } from 'zod'
import { adminScript } from './admin-script.ts'
import { dedicatedScript } from './dedicated-script.ts'
import { demoScript } from './demo-script.ts'
import { erasureScript } from './erasure-script.ts'
import { evalScript } from './eval-script.ts'
import { grpoScript } from './grpo-script.ts'
import { moneyScript } from './money-script.ts'
import { raftScript } from './raft-script.ts'
import { reviewScript } from './review-script.ts'
import { toolsScript } from './tools-script.ts'
import { trainingScript } from './training-script.ts'
import { versionsScript } from './versions-script.ts'
import { voiceScript } from './voice-script.ts'

/**
 * Calls by method and path, with their contracts. Endpoints of the API are called below a workspace. Pages read the list of
 * fine-tuning jobs by pages, not as the plain list.
 */
const contracts = [
  ...[fineTuningJobPages, ...endpoints].map((each) => ({ ...each, path: `/w/:slug${each.path}` })),
  ...dashboardEndpoints.map(({ method, path, reply }) => ({ method, path, reply })),
].map(({ method, path, reply }) => ({
  method: method.toUpperCase(),
  path: new RegExp(`^/api${path.replace(/^\/api/, '').replaceAll(/:\w+/g, '[^/]+')}$`),
  words: path.split('/').filter((part) => !part.startsWith(':')).length,
  reply,
}))

/** The contract with the most fixed parts in its path; undefined for calls of libraries. */
function contractOf(call: string) {
  const [method, path = ''] = call.split(' ')
  return contracts
    .filter((each) => each.method === method && each.path.test(path))
    .toSorted((one, other) => other.words - one.words)[0]
}

const scripts = {
  adminScript,
  dedicatedScript,
  demoScript,
  evalScript,
  grpoScript,
  moneyScript,
  erasureScript,
  reviewScript,
  raftScript,
  toolsScript,
  voiceScript,
  trainingScript,
  versionsScript,
}
const calls = Object.entries(scripts).flatMap(([script, replies]) =>
  Object.entries(replies).map(([call, reply]) => ({ name: `${script}: ${call}`, call, reply })),
)
const replies = calls.filter(({ call, reply }) => contractOf(call) !== undefined && isPlain(reply))

/** Functions answer by what is sent, and refusals have the envelope of errors. */
function isPlain(reply: unknown): boolean {
  return (
    typeof reply !== 'function' &&
    !(typeof reply === 'object' && reply !== null && 'status' in reply && 'body' in reply)
  )
}

it('scripts most calls of the pages', () => {
  expect(replies.length).toBeGreaterThan(0.6 * calls.length)
})

it.each(replies)('$name is a reply by its contract', ({ call, reply }) => {
  const found = contractOf(call)?.reply.safeParse(reply)
  expect(found?.error === undefined ? '' : z.prettifyError(found.error)).toBe('')
  // A field with a default is always sent, so the pages may rely on it.
  expect(addedIn(found?.data, reply)).toEqual([])
})

/** Paths of fields that the contract added to what is scripted. */
function addedIn(parsed: unknown, scripted: unknown, path = ''): readonly string[] {
  if (typeof parsed !== 'object' || parsed === null || typeof scripted !== 'object' || scripted === null) return []
  return Object.entries(parsed).flatMap(([key, value]) =>
    Object.hasOwn(scripted, key)
      ? addedIn(value, (scripted as Record<string, unknown>)[key], `${path}.${key}`)
      : [`${path}.${key}`],
  )
}
