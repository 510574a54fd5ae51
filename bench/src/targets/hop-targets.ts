import path from 'node:path'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { type ProcessGroup, serverSpec } from './process-group.ts'
import { chatPath, type Target } from './target.ts'

/** Milliseconds between two events of a stream, so many that each event is sent alone. */
const paceMs = 4

const json = { 'content-type': 'application/json' }

/** The scripted upstream that every other target forwards to. */
export async function startDirect(group: ProcessGroup): Promise<Target> {
  const port = await anyFreePort()
  const args = [path.join(import.meta.dirname, '..', 'canned-upstream', 'main.ts'), String(port), String(paceMs)]
  const { pid } = await group.startAside(serverSpec({ name: 'upstream', command: process.execPath, args, port }))
  return target({ id: 'direct', title: 'direct', port, processes: { upstream: pid } })
}

/** One bare Node proxy in front of the upstream. */
export async function startOneHop(group: ProcessGroup, upstreamUrl: string): Promise<Target> {
  const hop = await startHop(group, 'hop', upstreamUrl)
  return target({ id: 'one-hop', title: 'one Node hop', port: hop.port, processes: { hop: hop.pid } })
}

/** Two bare Node proxies in a row: the minimum cost of a fleet with two processes in the path. */
export async function startTwoHops(group: ProcessGroup, upstreamUrl: string): Promise<Target> {
  const second = await startHop(group, 'second hop', upstreamUrl)
  const first = await startHop(group, 'first hop', `http://127.0.0.1:${second.port}`)
  const processes = { 'first hop': first.pid, 'second hop': second.pid }
  return target({ id: 'two-hops', title: 'two Node hops', port: first.port, processes })
}

async function startHop(
  group: ProcessGroup,
  name: string,
  upstreamUrl: string,
): Promise<{ port: number; pid: number }> {
  const port = await anyFreePort()
  const args = [path.join(import.meta.dirname, 'bare-hop.ts'), String(port), new URL(upstreamUrl).origin]
  const { pid } = await group.startTarget(serverSpec({ name, command: process.execPath, args, port }))
  return { port, pid }
}

function target({
  id,
  title,
  port,
  processes,
}: Pick<Target, 'id' | 'title'> & { port: number; processes: Record<string, number> }): Target {
  const url = `http://127.0.0.1:${port}${chatPath}`
  return { id, title, url, headers: json, processes }
}
