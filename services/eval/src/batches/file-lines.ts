import { publicId } from '@ratchet/contracts/public-id'
import type { EndedLine } from './batch.ts'

const failures: Readonly<Record<string, string>> = {
  batch_expired: 'The batch expired before this request was answered.',
  batch_cancelled: 'The batch was cancelled before this request was answered.',
  caller_revoked:
    'The API key of the batch was revoked or expired, or its user was removed, before this request was sent.',
  request_failed: 'The request could not be answered.',
}

/** A line of the output or the error file, as OpenAI writes it. */
export function fileLine({ id, customId, statusCode, requestId, response, error }: EndedLine): string {
  const head = `"id":${JSON.stringify(publicId('batchRequest', id))},"custom_id":${JSON.stringify(customId)}`
  if (response === null) {
    const code = error ?? 'request_failed'
    return `{${head},"response":null,"error":${JSON.stringify({ code, message: failures[code] ?? code })}}\n`
  }
  // The body is written as it was answered, so that no number of it changes.
  const answer = `{"status_code":${statusCode},"request_id":${JSON.stringify(requestId)},"body":${response}}`
  return `{${head},"response":${answer},"error":null}\n`
}
