import { createRequire } from 'node:module'
import path from 'node:path'
import type { Endpoint } from '@ratchet/contracts/endpoint'
import { openApiDocument } from '@ratchet/contracts/openapi'
import { labelAnswer } from '@ratchet/service-kit/http/answer-error'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Drain } from '@ratchet/service-kit/process/drain'
import type { RequestHandler, Response } from 'express'
import { contextOf } from './request-context.ts'

const files = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']

/** The paths that {@link openRoutes} serves. */
export const openPaths: readonly string[] = [
  '/v1/openapi.json',
  '/docs',
  '/docs/',
  '/docs/start.js',
  ...files.map((file) => `/docs/${file}`),
]

/** Serves the OpenAPI document, and a page that shows it, without a key. */
export function openRoutes(endpoints: readonly Endpoint[], drain: Drain): RequestHandler {
  const description = JSON.stringify(openApiDocument(endpoints))
  const swaggerUi = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  const pages = new Map<string, (response: Response) => void>([
    ['/v1/openapi.json', (response) => response.set('cache-control', 'no-cache').type('json').send(description)],
    ['/docs', showDocs],
    ['/docs/', showDocs],
    ['/docs/start.js', (response) => response.set('cache-control', 'no-cache').type('js').send(startScript)],
    ...files.map((file): [string, (r: Response) => void] => [
      `/docs/${file}`,
      (response) => response.sendFile(file, { root: swaggerUi, maxAge: '1h' }),
    ]),
  ])
  return (request, response, next) => {
    const { path: requested } = contextOf(request).target
    const page = pages.get(requested)
    if (page === undefined) return next()
    request.routeName = requested
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new ServiceError('method_not_allowed', 'This URL answers GET, HEAD.', { headers: { allow: 'GET, HEAD' } })
    }
    labelAnswer(request, response, drain)
    response.set(openHeaders)
    page(response)
  }
}

/** Allows scripts and requests of this origin only. Swagger UI sets styles in its script, which needs `unsafe-inline`. */
const openHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

function showDocs(response: Response): void {
  response.set('cache-control', 'no-cache').type('html').send(docsPage)
}

const docsPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Ratchet API</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="docs"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const startScript = `SwaggerUIBundle({ url: '/v1/openapi.json', dom_id: '#docs', validatorUrl: null })
`
