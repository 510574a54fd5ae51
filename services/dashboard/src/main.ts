import { runService } from '@ratchet/service-kit/process/run-service'
import { DashboardConfig, startDashboard } from './start.ts'

await runService({ name: 'dashboard', schema: DashboardConfig, start: startDashboard, env: process.env })
