import { eventually } from '@ratchet/testing/eventually'
import { connectWebCaller, type WebCaller } from '@ratchet/testing/web-caller'
import type { FleetProcess } from '../start-process.ts'
import type { VoiceTenant } from './voice-fleet.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients would
type Json = any

export interface StayingCaller {
  readonly ask: VoiceTenant['ask']
  /** The `id` and `client_token` of a call that nobody has joined. */
  readonly call: { readonly id: string; readonly client_token: string }
  /** Workers that run now. */
  readonly workers: () => readonly FleetProcess[]
  /** Milliseconds of connections until the caller hangs up. */
  readonly staysMs: number
}

export interface HeldCall {
  readonly id: string
  /** Words that the caller heard, in order. */
  readonly ear: readonly string[]
  /** Connections that ended without the caller. */
  readonly losses: number
  /** Milliseconds during which a worker held the call, from what the caller saw of it. */
  readonly heldMs: { readonly least: number; readonly most: number }
}

/**
 * Holds a call as a person does who wants to be heard: speaks every three seconds, and connects again whenever the connection is
 * lost, until the call has ended or enough was said.
 */
export async function stayOnCall({ ask, call, workers, staysMs }: StayingCaller): Promise<HeldCall> {
  const held = { ear: [] as string[], losses: 0 }
  const heldMs = { least: 0, most: 0 }
  let before: WebCaller | null = null
  for (let tried = 0; !(await hasEnded(ask, call.id)); tried++) {
    const running = workers()
    const worker = running[tried % running.length]
    if (worker === undefined) throw new Error('no worker runs')
    const askedAt = performance.now()
    const url = `${worker.url.replace('http', 'ws')}/media/${call.id}`
    const caller = connectWebCaller(url, before?.resumeToken ?? call.client_token, held.ear, before?.lastPlayed)
    const openedAt = await opening(caller)
    if (openedAt === null) {
      await passed(300)
      continue
    }
    before = caller
    const isLost = await talk(caller, openedAt + staysMs - heldMs.least)
    if (!isLost) caller.hangUp()
    const { atMs } = await caller.closed
    heldMs.least += atMs - openedAt
    heldMs.most += atMs - askedAt
    if (!isLost) break
    held.losses += 1
  }
  return { id: call.id, ...held, heldMs }
}

/** When the worker took the call, on the clock of `performance`; null when it did not. */
async function opening(caller: WebCaller): Promise<number | null> {
  const isOpen = await Promise.race([
    caller.closed.then(() => false),
    eventually(() => caller.resumeToken !== null).then(
      () => true,
      () => false,
    ),
  ])
  if (!isOpen) caller.terminate()
  return isOpen ? performance.now() : null
}

/** @returns whether the connection was lost before the time */
async function talk(caller: WebCaller, untilMs: number): Promise<boolean> {
  const lost = caller.closed.then(() => true)
  while (performance.now() < untilMs) {
    caller.speak('Go on please.')
    const isLost = await Promise.race([lost, passed(Math.min(3_000, untilMs - performance.now()))])
    if (isLost) return true
  }
  return false
}

const passed = (ms: number) => new Promise<false>((resolve) => setTimeout(resolve, Math.max(0, ms), false).unref())

async function hasEnded(ask: VoiceTenant['ask'], id: string): Promise<boolean> {
  const { status, body }: { status: number; body: Json } = await ask('GET', `/calls/${id}`).catch(() => ({
    status: 0,
    body: null,
  }))
  return status === 200 && body.ended_at !== null
}
