import { enableCompileCache, flushCompileCache } from 'node:module'

// Worker processes live for about a second. Without the cache they would spend it on compiling.
enableCompileCache()
const { serveRequests } = await import('./serve-requests.ts')
flushCompileCache()
await serveRequests(process.argv[2] ?? '')
