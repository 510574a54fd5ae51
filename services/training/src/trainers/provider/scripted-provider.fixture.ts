import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import express, { type Request, type Response } from 'express'

// biome-ignore lint/suspicious/noExplicitAny: tests read objects by name
type AnyObject = any

/** What a job of the provider goes through: each look at it takes the next one, and the last one stays. */
export interface Look {
  readonly state: 'waiting' | 'running' | 'succeeded' | 'failed'
  readonly progress?: number
  readonly tokens?: number
  readonly message?: string
}

export interface ScriptedProvider {
  readonly url: string
  /** Bodies that created jobs, by the id of the job. */
  readonly created: Map<string, AnyObject>
  /** Files and datasets, by their ids. */
  readonly files: Map<string, string>
  readonly cancelled: string[]
  readonly keys: Set<string>
  /** For jobs that are created from now on. */
  script(looks: readonly Look[]): void
  /** Answers of the next calls with 503. */
  refuse(calls: number): void
  /** The next jobs are not created: 503. */
  refuseCreations(count: number): void
  /** The next jobs are created, and nobody hears of it. */
  loseCreations(count: number): void
  stop(): Promise<void>
}

const together = { waiting: 'queued', running: 'running', succeeded: 'completed', failed: 'error' } as const
const fireworks = {
  waiting: 'JOB_STATE_CREATING',
  running: 'JOB_STATE_RUNNING',
  succeeded: 'JOB_STATE_COMPLETED',
  failed: 'JOB_STATE_FAILED',
} as const

/** The fine-tuning of Together and of Fireworks on loopback, as far as their references say. */
export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const created = new Map<string, AnyObject>()
  const files = new Map<string, string>()
  const looks = new Map<string, Look[]>()
  const [cancelled, keys]: [string[], Set<string>] = [[], new Set()]
  let script: readonly Look[] = []
  let refusals = 0
  let lost = 0
  let refusedCreations = 0
  const look = (id: string): Look => {
    const left = looks.get(id) ?? []
    return (left.length > 1 ? left.shift() : left[0]) ?? { state: 'waiting' }
  }
  const create = (id: string, body: AnyObject) => {
    created.set(id, body)
    looks.set(id, [...script])
  }

  const app = express()
  const isRefused = (response: Response): boolean => {
    refusedCreations -= 1
    if (refusedCreations >= 0) response.status(503).json({ error: { message: 'later' } })
    return refusedCreations >= 0
  }
  /** Answers a creation, unless its answer is lost. */
  const answerCreation = (response: Response, job: AnyObject) => {
    lost -= 1
    if (lost >= 0) response.destroy()
    else response.json(job)
  }
  app.use((request: Request, response: Response, next: () => void) => {
    keys.add(String(request.headers.authorization))
    refusals -= 1
    if (refusals >= 0) response.status(503).json({ error: { message: 'later' } })
    else next()
  })
  app.use(express.json())

  const togetherJob = (id: string) => {
    const { state, progress = 0, tokens, message } = look(id)
    const events = [
      { type: 'training_start', message: '', step: Math.round(progress * 100), total_steps: 100 },
      ...(message === undefined ? [] : [{ type: 'job_error', message }]),
    ]
    const status = cancelled.includes(id) ? 'cancelled' : together[state]
    return { id, status, token_count: tokens, events, model_output_name: `acme/base-${created.get(id).suffix}` }
  }
  app.post('/v1/files/upload', async (request, response) => {
    const id = `file-${files.size + 1}`
    files.set(id, (await buffer(request)).toString())
    response.json({ id })
  })
  app.post('/v1/fine-tunes', ({ body }, response) => {
    if (isRefused(response)) return
    const id = `ft-${created.size + 1}`
    create(id, body)
    answerCreation(response, togetherJob(id))
  })
  app.get('/v1/fine-tunes', (_request, response) => {
    response.json({ data: [...created.keys()].filter((id) => id.startsWith('ft-')).map(togetherJob) })
  })
  app.get('/v1/fine-tunes/:id', ({ params }, response) => {
    response.json(togetherJob(params.id))
  })
  app.post('/v1/fine-tunes/:id/cancel', ({ params }, response) => {
    cancelled.push(params.id)
    response.json({ id: params.id, status: 'cancelled' })
  })

  const root = '/v1/accounts/:account'
  app.post(`${root}/datasets`, ({ body }, response) => {
    files.set(body.datasetId, '')
    response.json({ state: 'UPLOADING' })
  })
  app.post(`${root}/datasets/:upload`, async (request, response) => {
    files.set(request.params.upload.replace(':upload', ''), (await buffer(request)).toString())
    response.json({})
  })
  app.get(`${root}/datasets/:id`, ({ params }, response) => {
    const content = files.get(params.id)
    response.status(content === undefined ? 404 : 200).json({ state: content === '' ? 'UPLOADING' : 'READY' })
  })
  for (const [collection, query] of [
    ['supervisedFineTuningJobs', 'supervisedFineTuningJobId'],
    ['dpoJobs', 'dpoJobId'],
  ] as const) {
    const jobOf = (name: string) => {
      const { state, progress = 0, tokens, message } = look(name)
      return {
        name,
        state: cancelled.includes(name) ? 'JOB_STATE_CANCELLED' : fireworks[state],
        status: { message },
        jobProgress: { percent: progress * 100, inputTokens: tokens },
        ...created.get(name),
      }
    }
    const nameOf = (params: AnyObject) => `accounts/${params.account}/${collection}/${params.id}`
    app.post(`${root}/${collection}`, (request, response) => {
      const name = nameOf({ ...request.params, id: request.query[query] })
      if (isRefused(response)) return
      if (created.has(name)) return void response.status(409).json({ message: 'already exists' })
      create(name, request.body)
      answerCreation(response, jobOf(name))
    })
    app.get(`${root}/${collection}/:id`, ({ params }, response) => {
      const name = nameOf(params)
      response.status(created.has(name) ? 200 : 404).json(created.has(name) ? jobOf(name) : { message: 'not found' })
    })
    app.post(`${root}/${collection}/:cancel`, ({ params }, response) => {
      cancelled.push(nameOf({ ...params, id: params.cancel.replace(':cancel', '') }))
      response.json({})
    })
  }

  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    created,
    files,
    cancelled,
    keys,
    script(next) {
      script = next
    },
    refuse(calls) {
      refusals = calls
    },
    refuseCreations(count) {
      refusedCreations = count
    },
    loseCreations(count) {
      lost = count
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
