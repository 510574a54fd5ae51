import { text } from 'node:stream/consumers'
import { createUpstream } from '@ratchet/http/create-upstream'
import { z } from 'zod'
import { trainerLabel } from './job-manifest.ts'
import { KubeJob } from './job-state.ts'
import type { KubeJobs } from './kube-jobs.ts'

export interface HttpKubeJobsOptions {
  /** Address of the API server. */
  readonly url: string
  readonly namespace: string
  /** Certificates that its own is signed with; undefined: public ones. */
  readonly ca: string | undefined
  /** The token of the service account. It changes every hour. */
  readonly readToken: () => Promise<string>
}

const JobList = z.object({
  items: z.array(KubeJob),
  metadata: z.object({ continue: z.string().optional() }).default({}),
})

const timeoutMs = 15_000
const pageSize = 250
const [notFound, conflict] = [404, 409]

/** Jobs by the API of Kubernetes. */
export function createHttpKubeJobs({ url, namespace, ca, readToken }: HttpKubeJobsOptions) {
  const upstream = createUpstream({ origin: new URL(url).origin, connections: 4, connectTimeoutMs: 5_000, ca })
  const jobsPath = `/apis/batch/v1/namespaces/${namespace}/jobs`

  async function call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) {
    const answer = await upstream.request({
      method,
      path,
      headers: {
        authorization: `Bearer ${(await readToken()).trim()}`,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    })
    return { status: answer.statusCode, body: await text(answer.body) }
  }

  function accepted(what: string, { status, body }: { status: number; body: string }, also?: number): string {
    if ((status >= 200 && status < 300) || status === also) return body
    throw new Error(`Kubernetes answered ${what} with ${status}: ${body.slice(0, 300)}`)
  }

  const jobs: KubeJobs = {
    async create(manifest) {
      const answer = await call('POST', jobsPath, manifest)
      if (answer.status !== conflict) return KubeJob.parse(JSON.parse(accepted('a new Job', answer)))
      const present = await call('GET', `${jobsPath}/${manifest.metadata.name}`)
      return KubeJob.parse(JSON.parse(accepted('a Job', present)))
    },
    async createSecret(manifest) {
      accepted('a secret', await call('POST', `/api/v1/namespaces/${namespace}/secrets`, manifest), conflict)
    },
    async list() {
      const found: KubeJob[] = []
      for (let next: string | undefined = ''; next !== undefined; ) {
        const query = new URLSearchParams({
          labelSelector: `${trainerLabel.name}=${trainerLabel.value}`,
          limit: String(pageSize),
          continue: next,
        })
        const page = JobList.parse(JSON.parse(accepted('the list', await call('GET', `${jobsPath}?${query}`))))
        found.push(...page.items)
        next = page.metadata.continue || undefined
      }
      return found
    },
    async remove(name) {
      const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' }
      accepted('a removal', await call('DELETE', `${jobsPath}/${name}`, options), notFound)
    },
  }
  return { jobs, close: () => upstream.close() }
}
