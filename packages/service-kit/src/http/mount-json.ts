import type { Endpoint } from '@ratchet/contracts/endpoint'
import express, { type Request, type Response, type Router } from 'express'
import type { z } from 'zod'
import { mayLoseDigits, parseExact } from '../values/exact-json.ts'
import { smallBodyBytes } from './body-budget.ts'
import { countJson } from './json-budget.ts'
import { type Input, mountRaw } from './mount.ts'
import { parseInput } from './parse-input.ts'
import { ServiceError } from './service-error.ts'

export interface JsonAnswer<E extends Endpoint> {
  /** The endpoint's own when absent. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly reply: z.input<E['reply']>
}

/** Mounts an endpoint that accepts a JSON body up to the endpoint's limit. */
export function mountJson<E extends Endpoint>(
  router: Router,
  endpoint: E,
  handle: (input: Input<E>) => Promise<JsonAnswer<E>>,
): void {
  mountRaw(router, endpoint, async (input, response) => {
    const body = parseInput<E['body']>(endpoint.body, await readJson(input.request, response, endpoint.maxJsonBytes))
    const { status = endpoint.status, headers = {}, reply } = await handle({ ...input, body })
    response.status(status).set(headers).json(endpoint.reply.parse(reply))
  })
}

/**
 * Reads a body of JSON.
 *
 * @throws ServiceError 415 for another media type; 503 when bodies of its workspace use up their share; others from Express's parser, such as 413 for more than `maxBytes`
 */
export async function readJson(request: Request, response: Response, maxBytes: number): Promise<unknown> {
  await parseJson(request, response, { maxBytes })
  return request.body
}

/** The same body twice: with ordinary numbers, and as `parseExact` reads it, for content that is only written again. */
export async function readExactJson(
  request: Request,
  response: Response,
  maxBytes: number,
): Promise<{ readonly value: unknown; readonly exact: unknown }> {
  let text = ''
  await parseJson(request, response, {
    maxBytes,
    onBytes: (bytes, encoding) => {
      text = encoding === 'utf-8' ? bytes.toString() : ''
    },
  })
  const value: unknown = request.body
  return { value, exact: mayLoseDigits(text) ? parseExact(text) : value }
}

interface ParseOptions {
  readonly maxBytes: number
  readonly onBytes?: (bytes: Buffer, encoding: string) => void
}

function parseJson(request: Request, response: Response, { maxBytes, onBytes }: ParseOptions): Promise<void> {
  const mediaType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (mediaType !== 'application/json') {
    throw new ServiceError('unsupported_media_type', 'Send the body as application/json.', { param: 'Content-Type' })
  }
  return new Promise((resolve, reject) => {
    if (maxBytes > smallBodyBytes) countJson(request, response, reject)
    const verify = (_request: unknown, _response: unknown, bytes: Buffer, encoding: string) =>
      onBytes?.(bytes, encoding)
    express.json({ limit: maxBytes, inflate: false, verify })(request, response, (error: unknown) => {
      if (error === undefined) resolve()
      else reject(error)
    })
  })
}
