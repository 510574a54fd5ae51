import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { RequestHandler, Router } from 'express'
import { contentSecurityPolicy, noncePlaceholder } from './page-headers.ts'

export interface PageDeps {
  /** The text of `index.html`; null when the pages are not built. */
  readonly indexHtml: string | null
  /** Answers the other built files; null when the pages are not built. */
  readonly serveFile: RequestHandler | null
  readonly randomBytes: (count: number) => Uint8Array
}

const nonceBytes = 16

/** What the build makes. Names in the addresses of pages may have dots too, such as `/w/acme/aliases/gpt-4.5`. */
const builtFile = /^\/assets\/|^\/[^/]+\.[a-z0-9]+$/i

/** Serves the built pages. Every path that is no built file is a page, which reads its own address. */
export function pageRoutes(router: Router, { indexHtml, serveFile, randomBytes }: PageDeps): void {
  router.get('/{*path}', (request, response, next) => {
    request.routeName = 'page'
    if (request.path === '/api' || request.path.startsWith('/api/')) return next()
    const isFile = builtFile.test(request.path) && request.path !== '/index.html'
    if (!isFile) {
      if (indexHtml === null) throw new ServiceError('unknown_url', 'The pages of the dashboard are not built.')
      const nonce = Buffer.from(randomBytes(nonceBytes)).toString('base64url')
      response.set({ 'cache-control': 'no-store', 'content-security-policy': contentSecurityPolicy(nonce) })
      response.type('html').send(indexHtml.replaceAll(noncePlaceholder, nonce))
      return
    }
    if (serveFile === null) return next()
    serveFile(request, response, next)
  })
}
