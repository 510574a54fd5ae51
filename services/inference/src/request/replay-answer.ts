import type { ServerResponse } from 'node:http'
import { formatUsd } from '@ratchet/contracts/money'
import type { ReplayContext, Surface } from '../surfaces/surface.ts'
import { replyLimits } from '../wire/chat/read-reply.ts'
import { editMember, editTopLevel } from '../wire/json/edit-json.ts'
import { type JsonScan, scanJson } from '../wire/json/scan-json.ts'
import { noUsage } from '../wire/usage.ts'

export interface Replay {
  readonly surface: Surface
  readonly context: ReplayContext
  /** A kept answer, finished and unstreamed. */
  readonly bytes: Buffer
  /** What it says it cost. */
  readonly chargedNano: bigint
  readonly headers: Readonly<Record<string, string>>
  /** Where a plain answer says the same. */
  readonly costHeader: string
}

/** Gives a kept answer again, as a stream where one was asked for. False when it cannot be read (any more). */
export function replayAnswer(response: ServerResponse, replay: Replay): boolean {
  const { surface, context, bytes, chargedNano } = replay
  const scan = scanJson(bytes, replyLimits)
  if (!scan.ok) return false
  const charged = { usage: noUsage, reported: true, chargedNano }
  if (context.facts.stream && surface.stream !== null) {
    const frames = surface.stream.replay({ bytes, scan }, charged, context)
    response.writeHead(200, { ...streamHead, ...replay.headers })
    response.end(frames)
  } else {
    writePlain(response, replay, scan)
  }
  return true
}

/** Whether a kept answer can be given again. */
export function isReadable(bytes: Buffer): boolean {
  return scanJson(bytes, replyLimits).ok
}

/** What every stream of ours begins with. */
export const streamHead = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

function writePlain(response: ServerResponse, replay: Replay, scan: JsonScan): void {
  const { bytes, chargedNano, headers, costHeader } = replay
  const cost_usd = formatUsd(chargedNano)
  const body = editTopLevel(bytes, scan, { usage: editMember(bytes, scan, 'usage', { cost_usd }) })
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.length,
    ...headers,
    [costHeader]: cost_usd,
  })
  response.end(body)
}
