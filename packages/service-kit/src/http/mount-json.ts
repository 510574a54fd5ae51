import type { MountedEndpoint } from '@ratchet/contracts/endpoint'
import express, { type Request, type RequestHandler, type Response, type Router } from 'express'
import type { z } from 'zod'
import { smallBodyBytes } from './body-budget.ts'
import { countJson } from './json-budget.ts'
import { type Input, mountRaw } from './mount.ts'
import { parseInput } from './parse-input.ts'
import { ServiceError } from './service-error.ts'

export interface JsonAnswer<E extends MountedEndpoint> {
  /** The endpoint's own when absent. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly reply: z.input<E['reply']>
}

/** Mounts an endpoint that accepts a JSON body up to the endpoint's limit. */
export function mountJson<E extends MountedEndpoint>(
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

/**
 * The same for a body that the caller parses piece by piece, because parsing all of it at once would take seconds.
 *
 * @throws ServiceError also 415 for another charset than UTF-8, which Express's parser would read
 */
export async function readJsonBytes(request: Request, response: Response, maxBytes: number): Promise<Buffer> {
  requireJson(request)
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  if (!/^utf-?8$/i.test(charset)) {
    throw new ServiceError('unsupported_media_type', 'Send the body in UTF-8.', { param: 'Content-Type' })
  }
  await withParser(request, response, {
    maxBytes,
    parser: express.raw({ type: () => true, limit: maxBytes, inflate: false }),
  })
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
}

function parseJson(request: Request, response: Response, { maxBytes }: { readonly maxBytes: number }): Promise<void> {
  requireJson(request)
  return withParser(request, response, { maxBytes, parser: express.json({ limit: maxBytes, inflate: false }) })
}

function requireJson(request: Request): void {
  const mediaType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (mediaType === 'application/json') return
  throw new ServiceError('unsupported_media_type', 'Send the body as application/json.', { param: 'Content-Type' })
}

interface ParserOptions {
  readonly maxBytes: number
  readonly parser: RequestHandler
}

function withParser(request: Request, response: Response, { maxBytes, parser }: ParserOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    if (maxBytes > smallBodyBytes) countJson(request, response, reject)
    void parser(request, response, (error: unknown) => {
      if (error === undefined) resolve()
      else reject(error)
    })
  })
}
