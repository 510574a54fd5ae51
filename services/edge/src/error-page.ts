import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AnswerErrorOptions, labelAnswer } from '@ratchet/service-kit/http/answer-error'
import { logFailure } from '@ratchet/service-kit/http/log-failure'
import { asServiceError, type ServiceError } from '@ratchet/service-kit/http/service-error'
import type { EdgeRequest } from './admission/request-context.ts'

/** Whether a person waits for a page. The dashboard's own requests below `/api` get the envelope. */
export function expectsPage(request: EdgeRequest): boolean {
  const { context, headers } = request
  if (context?.isForDashboard !== true || context.target.path.startsWith('/api/')) return false
  return headers.accept?.includes('text/html') === true
}

/**
 * Answers what was thrown with a page in plain words.
 *
 * @returns false when an answer had begun, which can only be cut
 */
export function answerErrorPage(
  { logger, health }: Pick<AnswerErrorOptions, 'logger' | 'health'>,
  { request, response }: { readonly request: Pick<EdgeRequest, 'id'>; readonly response: ServerResponse },
  thrown: unknown,
): boolean {
  const error = asServiceError(thrown)
  if (error.status >= 500) logFailure(logger, error, request.id)
  if (response.headersSent) return false
  labelAnswer(request, response, health.drain)
  const bytes = Buffer.from(pageOf(error, request.id))
  response.writeHead(error.status, { ...pageHeaders, ...error.headers, 'content-length': bytes.length })
  response.end(bytes)
  return true
}

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

function pageOf({ status, message }: ServiceError, requestId: string): string {
  const [title, text] =
    status >= 500
      ? [
          'The dashboard is not available',
          'It is starting, or it has stopped. Load this page again in a moment. Calls to /v1 do not need it.',
        ]
      : ['This request was not accepted', message]
  return page(title, `<p>${escaped(text)}</p><p>Request ${escaped(requestId)}</p>`)
}

/**
 * Answers `/` where no dashboard runs, for a person who opened the address of the API in a browser.
 *
 * @returns false when the request is not one of a browser for a page
 */
export function answerWelcome({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  if (!isRead || headers.accept?.includes('text/html') !== true) return false
  response.writeHead(200, { ...pageHeaders, 'content-length': welcomePage.length })
  response.end(method === 'HEAD' ? undefined : welcomePage)
  return true
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body><h1>${title}</h1>${content}</body>
</html>
`
}

const welcomePage = Buffer.from(
  page(
    'Ratchet',
    '<p>This is the address of the API. Clients use <code>/v1</code> below it as their base URL, with a key.</p>' +
      '<p><a href="/docs">The endpoints</a> · <a href="/v1/openapi.json">OpenAPI</a></p>',
  ),
)

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
