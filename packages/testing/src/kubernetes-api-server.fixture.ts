import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express, { type Request, type Response } from 'express'

// biome-ignore lint/suspicious/noExplicitAny: tests read objects by name
type AnyObject = any

/** What a pod does: resolves with the exit code of its container. */
export type PodProgram = (env: Readonly<Record<string, string>>, stopped: AbortSignal) => Promise<number>

export interface ApiServer {
  readonly url: string
  /** A file as `kubectl` reads it. */
  readonly configFile: string
  /** Objects of a plural, such as `jobs`. */
  objects(plural: string): readonly AnyObject[]
  /** Lets Jobs get pods. Until then they wait, as with a full cluster. */
  admit(): void
  /** True: every call is refused with 500. */
  setBroken(isBroken: boolean): void
  stop(): Promise<void>
}

const resources = new Map([
  ['/api/v1', { secrets: 'Secret', pods: 'Pod' }],
  ['/apis/batch/v1', { jobs: 'Job' }],
  ['/apis/trainer.kubeflow.org/v1alpha1', { trainjobs: 'TrainJob' }],
  ['/apis/ray.io/v1', { rayjobs: 'RayJob' }],
  ['/apis/kueue.x-k8s.io/v1beta1', { localqueues: 'LocalQueue' }],
])

/** An API server of Kubernetes on loopback, as far as trainers and engines need it, with a node that runs the pods of Jobs. */
export async function startApiServer(program: PodProgram): Promise<ApiServer> {
  const objects = new Map<string, AnyObject>()
  const running = new Map<string, AbortController>()
  let isAdmitted = false
  let isBroken = false
  const keyOf = (plural: string, name: string) => `${plural}/${name}`
  const all = (plural: string) => [...objects].filter(([key]) => key.startsWith(`${plural}/`)).map(([, each]) => each)

  async function runPod(job: AnyObject): Promise<void> {
    const { name } = job.metadata
    const secret = objects.get(keyOf('secrets', name))
    if (!isAdmitted || secret === undefined || running.has(name) || job.status?.conditions !== undefined) return
    const stopped = new AbortController()
    running.set(name, stopped)
    job.status = { active: 1, ready: 1 }
    const [container] = job.spec.template.spec.containers
    const env = Object.fromEntries(
      container.env.map((each: AnyObject) => [
        each.name,
        each.value ?? secret.stringData[each.valueFrom.secretKeyRef.key],
      ]),
    )
    const exitCode = await program(env, stopped.signal)
    running.delete(name)
    objects.set(keyOf('pods', `${name}-x1`), {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${name}-x1`, uid: randomUUID(), labels: { 'batch.kubernetes.io/job-name': name } },
      status: { containerStatuses: [{ name: 'trainer', state: { terminated: { exitCode } } }] },
    })
    const type = exitCode === 0 ? 'Complete' : 'Failed'
    job.status = { active: 0, ready: 0, conditions: [{ type, status: 'True' }] }
  }
  const runPods = () => {
    for (const job of all('jobs')) void runPod(job)
  }

  const app = express()
  app.use(express.json({ type: () => true }))
  app.use((_request: Request, response: Response, next: () => void) => {
    if (isBroken) response.status(500).json({ kind: 'Status', status: 'Failure', code: 500 })
    else next()
  })
  for (const [path, kinds] of resources) {
    const names = Object.entries(kinds)
    app.get(path, (_request, response) => {
      const list = names.map(([name, kind]) => ({ name, kind, namespaced: true, singularName: '', verbs: [] }))
      response.json({ kind: 'APIResourceList', groupVersion: path.replace(/^\/apis?\//, ''), resources: list })
    })
    for (const [plural, kind] of names) {
      const collection = `${path}/namespaces/:namespace/${plural}`
      app.get(collection, (request, response) => {
        const [label, value] = String(request.query.labelSelector ?? '').split('=')
        const has = ({ metadata: { labels = {} } }: AnyObject) =>
          label === '' || label === undefined || (value === undefined ? label in labels : labels[label] === value)
        response.json({ apiVersion: 'v1', kind: `${kind}List`, metadata: {}, items: all(plural).filter(has) })
      })
      app.post(collection, ({ body }, response) => {
        const key = keyOf(plural, body.metadata.name)
        if (objects.has(key)) {
          response.status(409).json({ kind: 'Status', status: 'Failure', reason: 'AlreadyExists', code: 409 })
          return
        }
        body.metadata.uid = randomUUID()
        objects.set(key, body)
        response.status(201).json(body)
        runPods()
      })
      app.get(`${collection}/:name`, ({ params }, response) => {
        const found = objects.get(keyOf(plural, params.name))
        response.status(found === undefined ? 404 : 200).json(found ?? { kind: 'Status', code: 404 })
      })
      app.delete(`${collection}/:name`, ({ params }, response) => {
        const isThere = objects.delete(keyOf(plural, params.name))
        for (const [key, { metadata }] of objects) {
          if (metadata.ownerReferences?.some(({ name }: AnyObject) => name === params.name)) objects.delete(key)
        }
        running.get(params.name)?.abort()
        response.status(isThere ? 200 : 404).json({ kind: 'Status', code: isThere ? 200 : 404 })
      })
    }
  }
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const folder = await mkdtemp(join(tmpdir(), 'kubernetes-'))
  const configFile = join(folder, 'config')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await writeFile(configFile, JSON.stringify(configOf(url)))
  return {
    url,
    configFile,
    objects: all,
    admit() {
      isAdmitted = true
      runPods()
    },
    setBroken(broken) {
      isBroken = broken
    },
    async stop() {
      for (const stopped of running.values()) stopped.abort()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function configOf(server: string) {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'test', user: { token: 'a-token' } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  }
}
