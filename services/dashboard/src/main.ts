import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { runService } from '@ratchet/service-kit/process/run-service'
import { limitFetch } from './sign-in/limit-fetch.ts'
import { DashboardConfig, startDashboard } from './start.ts'

// The library for signing in uses it to ask the provider of identities, and nothing else here does.
globalThis.fetch = limitFetch(globalThis.fetch, { maxBytes: mebibyte, totalMs: 10_000 })

await runService({ name: 'dashboard', schema: DashboardConfig, start: startDashboard, env: process.env })
