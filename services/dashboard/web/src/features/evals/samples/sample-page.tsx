import { Select } from '@mantine/core'
import { type Eval, getEval } from '@ratchet/contracts/evals'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { Above } from '../../../kit/above.tsx'
import { Page } from '../../../kit/page.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { BlindBar } from './blind-bar.tsx'
import { BlindSamples } from './blind-samples.tsx'
import { OpenSamples } from './open-samples.tsx'
import type { SampleShow } from './sample-search.ts'
import { useChoices } from './use-choices.ts'

const route = getRouteApi('/w/$slug/evals/$id/samples/$n')

/** The samples of an eval, one at a time: with names and verdicts, or without both for a comparison by a person. */
export function SamplePage(): ReactNode {
  const { slug, id } = route.useParams()
  const found = useEndpoint(getEval, { params: { id } })
  return (
    <Page
      title="Samples"
      above={
        <Above>
          <Link to="/w/$slug/evals/$id" params={{ slug, id }} search={{}}>
            {found.data?.name ?? 'Eval'}
          </Link>
        </Above>
      }
    >
      <Loaded query={found}>{(each) => <Samples each={each} />}</Loaded>
    </Page>
  )
}

function Samples({ each }: { readonly each: Eval }): ReactNode {
  const params = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/evals/$id/samples/$n' })
  // Choices belong to the page, so that going on to the next sample does not lose one that is being sent.
  const choices = useChoices(each.id)
  const candidate = each.candidate_models.find((model) => model === search.candidate) ?? each.candidate_models[0] ?? ''
  const n = Math.max(1, Number.parseInt(params.n, 10) || 1)
  const go = (next: number, changed: Readonly<Record<string, string | undefined>> = {}) =>
    void navigate({ params: { ...params, n: String(next) }, search: (before) => ({ ...before, ...changed }) })
  const isBlind = search.blind === '1'
  const props = { each, candidate, n, onGo: (next: number) => go(next) }
  return (
    <div style={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 16 }}>
      <div style={{ display: 'flex', flexWrap: 'wrap', gap: 12, alignItems: 'end' }}>
        {each.candidate_models.length > 1 && (
          <Select
            label="Candidate"
            data={each.candidate_models}
            value={candidate}
            allowDeselect={false}
            onChange={(chosen) => go(1, { candidate: chosen ?? candidate })}
          />
        )}
        <BlindBar
          isBlind={isBlind}
          choices={choices.made}
          onChange={(blind) => go(1, { blind: blind ? '1' : undefined, show: undefined })}
        />
      </div>
      {isBlind ? (
        <BlindSamples {...props} choices={choices} />
      ) : (
        <OpenSamples
          {...props}
          onSeen={choices.sawNamed}
          show={(search.show as SampleShow | undefined) ?? 'all'}
          onShow={(show) => go(1, { show })}
        />
      )}
    </div>
  )
}
