import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { choosePort } from '@ratchet/infra/processes/free-port'
import { findSipPrograms, withoutSipPrograms } from '@ratchet/infra/sip-programs/find-sip-programs'
import type { IncomingCall } from '@ratchet/sip/agent/incoming-call'
import { eventually } from '@ratchet/testing/eventually'
import { loopback, startRealAgent } from './real-agent.ts'

/* A source of load of others (sipp) sets up and ends 20 calls a second, each with audio of ours. */

const calls = 200

const withPrograms = process.env[withoutSipPrograms] === undefined ? it : it.skip

withPrograms('answers 20 calls a second of a source of load, and keeps nothing of them', async () => {
  const programs = await findSipPrograms()
  if (programs.kind === 'missing') throw new Error(programs.reason)
  const ends: string[] = []
  let most = 0
  const events = { onAudio: () => {}, onDtmf: () => {}, onEnded: (end: string) => ends.push(end) }
  const answer = async (call: IncomingCall) => {
    const leg = await call.answer(events)
    most = Math.max(most, ours.agent.counts.legs)
    leg.send(new Int16Array(4_000).fill(1_000))
  }
  const trunk = {
    id: 'load',
    addresses: [loopback],
    target: { transport: 'udp', host: loopback, port: 5_060 },
    credentials: null,
  } as const
  const ours = await startRealAgent({ trunks: [trunk], onInvite: (call) => void answer(call) }, { firstPort: 31_800 })
  const port = await choosePort({ preferred: 25_300 })
  const { status, output } = await runSipp(programs.sipp, programs.env, [
    `${loopback}:${ours.port}`,
    ...['-sn', 'uac', '-r', '20', '-m', String(calls), '-d', '1000', '-i', loopback, '-p', String(port)],
    ...['-mp', '32200', '-nostdin', '-timeout', '60s', '-timeout_error'],
  ])
  expect([status, output.match(/Successful call\s*\|[^|]*\|\s*(\d+)/)?.[1]]).toEqual([0, String(calls)])
  await eventually(() => expect(ends).toEqual(Array.from({ length: calls }, () => 'remote_bye')))
  expect(most).toBeGreaterThan(10)
  await eventually(() => expect([ours.agent.counts.legs, ours.media.used]).toEqual([0, 0]))
  expect(ours.agent.counts.malformed).toBe(0)
  await ours.close()
})

async function runSipp(program: string, env: Readonly<Record<string, string>>, args: readonly string[]) {
  const cwd = mkdtempSync(path.join(os.tmpdir(), 'ratchet-sipp-'))
  const child = spawn(program, args, { cwd, env: { ...env, TERM: 'dumb' }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [status] = await once(child, 'close')
  return { status, output }
}
