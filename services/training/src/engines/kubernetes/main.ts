import { adapterServer } from './adapter-server.ts'

/* The container `adapters` of an engine's pod. */

const server = adapterServer(process.env.ADAPTERS_DIR ?? '/adapters')
server.listen(Number(process.env.PORT ?? 8_001), process.env.HOST)
process.on('SIGTERM', () => server.close(() => process.exit(0)))
