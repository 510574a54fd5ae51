import { SegmentedControl } from '@mantine/core'
import { type DedicatedEndpoint, getDedicatedMetrics, metricWindows } from '@ratchet/contracts/dedicated'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { usePolling } from '../../../api/use-polling.ts'
import { count, percent } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { duration } from '../../../kit/time.ts'
import { TimeBars } from '../../../pictures/time-bars.tsx'
import { Figures } from '../figures.tsx'
import styles from '../training.module.css'
import { isFollowed, readySentence, usdText } from './endpoint-words.ts'

const route = getRouteApi('/w/$slug/training/endpoints/$id')
const pollMs = 10_000
const words = { '15m': '15 min', '1h': '1 h', '24h': '24 h', '7d': '7 d' } as const

/** How fast it answered, and how many replicas were ready. */
export function MetricsPart({ endpoint }: { readonly endpoint: DedicatedEndpoint }): ReactNode {
  const { window: asked } = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/training/endpoints/$id' })
  const shown = metricWindows.find((each) => each === asked) ?? '1h'
  const query = { window: shown }
  const metrics = useEndpoint(getDedicatedMetrics, { params: { id: endpoint.id }, query }, { keepsOld: true })
  usePolling(metrics.refetch, isFollowed(endpoint), pollMs)
  const time = (ms: number | null) => (ms === null ? '–' : duration(ms))
  return (
    <Card
      title="Requests and replicas"
      actions={
        <SegmentedControl
          aria-label="Period"
          size="xs"
          data={metricWindows.map((value) => ({ value, label: words[value] }))}
          value={shown}
          onChange={(window) => void navigate({ search: { window } })}
        />
      }
    >
      <Loaded query={metrics}>
        {(found) => (
          <div className={styles.parts}>
            <Figures
              label="Requests in this time"
              figures={[
                ['Requests', count(found.requests)],
                ['Without an answer', count(found.errors)],
                ['First byte, middle', time(found.ttft_ms_p50)],
                ['First byte, 95 %', time(found.ttft_ms_p95)],
                ['Held before, 95 %', time(found.queue_ms_p95)],
                ['Tokens', count(found.tokens)],
                ['KV cache in use', found.kv_cache_used === null ? '–' : percent(found.kv_cache_used)],
                ['Cost', usdText(found.cost_usd)],
              ]}
            />
            <TimeBars
              title="Ready replicas"
              sentence={readySentence(found.replicas)}
              bars={found.replicas.map(({ at, ready }) => ({ start: at, count: ready }))}
              bucketMs={0}
            />
          </div>
        )}
      </Loaded>
    </Card>
  )
}
