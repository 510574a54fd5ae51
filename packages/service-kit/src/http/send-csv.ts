import type { Response } from 'express'

/** Answers a table as a file with this name. */
export function sendCsv(response: Pick<Response, 'attachment' | 'type'>, name: string, text: string): void {
  response.attachment(name)
  response.type('text/csv; charset=utf-8').send(text)
}
