import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

// biome-ignore lint/suspicious/noExplicitAny: objects are read as a client of the API would
type AnyObject = any

export interface KubeApi {
  readonly url: string
  /** By name. Tests change their status. */
  readonly jobs: Map<string, AnyObject>
  readonly secrets: Map<string, AnyObject>
  /** Calls until now, such as `POST /apis/…`. */
  readonly calls: string[]
  /** Answers the next calls with this status. */
  failNext(times: number): void
  stop(): Promise<void>
}

/** The part of an API server of Kubernetes that trainers use: Jobs and secrets of one namespace, in pages of two. */
export async function startKubeApi(token: string, namespace: string): Promise<KubeApi> {
  const jobs = new Map<string, AnyObject>()
  const secrets = new Map<string, AnyObject>()
  const calls: string[] = []
  let failures = 0
  let created = 0
  const jobsPath = `/apis/batch/v1/namespaces/${namespace}/jobs`

  function create(kind: Map<string, AnyObject>, object: AnyObject) {
    const { name } = object.metadata
    if (kind.has(name)) return { status: 409, body: { reason: 'AlreadyExists' } }
    created += 1
    const stored = Object.assign(object, { metadata: Object.assign(object.metadata, { uid: `uid-${created}` }) })
    kind.set(name, stored)
    return { status: 201, body: stored }
  }

  function list(query: URLSearchParams) {
    const [label = '', value] = (query.get('labelSelector') ?? '').split('=')
    const found = [...jobs.values()].filter(({ metadata }) => metadata.labels?.[label] === value)
    const from = Number(query.get('continue') || 0)
    const metadata = from + 2 < found.length ? { continue: String(from + 2) } : {}
    return { status: 200, body: { kind: 'JobList', items: found.slice(from, from + 2), metadata } }
  }

  /** Objects that a Job owns go with it. */
  function remove(name: string) {
    const job = jobs.get(name)
    if (job === undefined) return { status: 404, body: { reason: 'NotFound' } }
    jobs.delete(name)
    for (const [key, { metadata }] of secrets) {
      if (metadata.ownerReferences?.[0]?.uid === job.metadata.uid) secrets.delete(key)
    }
    return { status: 200, body: { kind: 'Status' } }
  }

  async function answer(request: IncomingMessage) {
    const { method = '', url = '', headers } = request
    const body = await text(request)
    calls.push(`${method} ${url.split('?')[0]}`)
    if (headers.authorization !== `Bearer ${token}`) return { status: 401, body: { reason: 'Unauthorized' } }
    if (failures > 0) {
      failures -= 1
      return { status: 503, body: { reason: 'ServiceUnavailable' } }
    }
    const { pathname, searchParams } = new URL(url, 'http://api')
    if (method === 'POST' && pathname === jobsPath) return create(jobs, JSON.parse(body))
    if (method === 'POST' && pathname === `/api/v1/namespaces/${namespace}/secrets`) {
      const { stringData, ...secret } = JSON.parse(body)
      return create(secrets, Object.assign(secret, { data: stringData }))
    }
    if (method === 'GET' && pathname === jobsPath) return list(searchParams)
    const name = pathname.startsWith(`${jobsPath}/`) ? pathname.slice(jobsPath.length + 1) : ''
    const job = jobs.get(name)
    if (method === 'GET' && job !== undefined) return { status: 200, body: job }
    if (method === 'DELETE' && name !== '') return remove(name)
    return { status: 403, body: { reason: 'Forbidden' } }
  }

  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    jobs,
    secrets,
    calls,
    failNext(times) {
      failures = times
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
