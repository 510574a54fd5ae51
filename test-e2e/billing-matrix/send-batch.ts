import { eventually } from '@ratchet/testing/eventually'
import type { Answer, Call } from './call.ts'
import type { Cell } from './matrix.ts'
import { paths } from './speak.ts'

/** Sends one request as the only line of a batch, and reads its answer from the output file. */
export async function sendBatch(surface: Cell['surface'], { url, apiKey, body }: Call): Promise<Answer> {
  const endpoint = paths[surface]
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${apiKey}`, ...init.headers }
    const response = await fetch(`${url}/v1${path}`, { ...init, headers })
    if (!response.ok) throw new Error(`${path}: ${response.status}: ${await response.text()}`)
    return response.text()
  }
  const form = new FormData()
  form.set('purpose', 'batch')
  form.set('file', new File([JSON.stringify({ custom_id: 'a', method: 'POST', url: endpoint, body })], 'a.jsonl'))
  const { id: input } = JSON.parse(await ask('/files', { method: 'POST', body: form }))
  const order = JSON.stringify({ input_file_id: input, endpoint, completion_window: '24h' })
  const json = { 'content-type': 'application/json' }
  const { id } = JSON.parse(await ask('/batches', { method: 'POST', body: order, headers: json }))
  const output = await eventually(async () => JSON.parse(await ask(`/batches/${id}`)).output_file_id as string | null)
  const { response } = JSON.parse(await ask(`/files/${output}/content`))
  return { status: response.status_code, headers: new Headers(), raw: JSON.stringify(response.body), broken: false }
}
