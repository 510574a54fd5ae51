import { eventually } from '@ratchet/testing/eventually'
import OpenAI, { toFile } from 'openai'
import { readJson } from '../fine-tuning/read-json.ts'
import type { Json } from '../judged-traffic.ts'
import type { RunningFleet } from '../shared-fleet/shared-fleet.ts'

/** What answers as a version says so, in the words of its weights. */
export interface TrainedVersion {
  /** In the API, such as `/model_versions/mv_1`. */
  readonly path: string
  readonly model: string
  readonly weights: string
}

const waits = { withinMs: 60_000, everyMs: 200 }

/** Two versions of one job of the workspace, whose weights differ. */
export async function trainVersions(
  { url, workspace: { apiKey } }: Pick<RunningFleet, 'url' | 'workspace'>,
  base: string,
): Promise<readonly TrainedVersion[]> {
  const ask = (method: string, under: string, body?: object) => readJson(`${url}/v1${under}`, { method, apiKey, body })
  const openai = new OpenAI({ apiKey, baseURL: `${url}/v1` })
  const lines = Array.from({ length: 40 }, (_, index) => {
    const messages = [
      { role: 'user', content: `Where is parcel ${index}? It was sent on day ${index} of the month.` },
      { role: 'assistant', content: `Parcel ${index} is on its way, and arrives tomorrow.` },
    ]
    return JSON.stringify({ messages })
  })
  const content = await toFile(Buffer.from(lines.join('\n')), 'train.jsonl')
  const { id: trainingFile } = await openai.files.create({ file: content, purpose: 'fine-tune' })
  const job = (await ask('POST', '/fine_tuning/jobs', { model: base, trainingFile, nCheckpoints: 2, seed: 7 })).json
  await eventually(async () => {
    expect((await ask('GET', `/fine_tuning/jobs/${job.id}`)).json.status).toBe('succeeded')
  }, waits)
  const { data } = (await ask('GET', '/model_versions')).json
  return data.map(({ id, model_id: model, serving }: Json) => {
    return { path: `/model_versions/${id}`, model, weights: serving.provider }
  })
}
