import type { Alias } from '@ratchet/contracts/aliases'
import { listAliases } from '@ratchet/contracts/aliases'
import type { Eval } from '@ratchet/contracts/evals'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { Card } from '../../../kit/page.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'

/** What to do with the result: each alias that routes to the baseline can try a candidate, or take it as its target. */
export function AliasMoves({ each }: { readonly each: Eval }): ReactNode {
  const slug = useWorkspaceSlug()
  const aliases = useEndpoint(listAliases, { query: { limit: 200 } })
  const { baseline_model: baseline, candidate_models: candidates } = each
  return (
    <Card title="Make this an alias move">
      <Loaded query={aliases}>
        {({ data }) => {
          const using = data.filter(({ target_model: target, name }) => target === baseline || name === baseline)
          if (using.length === 0) return <NewAlias baseline={baseline} candidates={candidates} slug={slug} />
          return (
            <ul style={{ margin: 0, paddingLeft: 18 }}>
              {using.flatMap((alias) =>
                candidates.map((candidate) => (
                  <li key={`${alias.name} ${candidate}`}>
                    <Move alias={alias} candidate={candidate} slug={slug} />
                  </li>
                )),
              )}
            </ul>
          )
        }}
      </Loaded>
    </Card>
  )
}

interface MoveProps {
  readonly alias: Alias
  readonly candidate: string
  readonly slug: string
}

function Move({ alias: { name }, candidate, slug }: MoveProps): ReactNode {
  const to = '/w/$slug/aliases/$name/routing'
  const params = { slug, name }
  return (
    <>
      <strong>{name}</strong>:{' '}
      <Link to={to} params={params} search={{ canary_model: candidate, canary_percent: '10' }}>
        try {candidate} as a canary of 10 %
      </Link>
      {' or '}
      <Link to={to} params={params} search={{ target_model: candidate }}>
        make it the target
      </Link>
    </>
  )
}

interface NewAliasProps {
  readonly baseline: string
  readonly candidates: readonly string[]
  readonly slug: string
}

function NewAlias({ baseline, candidates, slug }: NewAliasProps): ReactNode {
  const [candidate = ''] = candidates
  return (
    <p style={{ margin: 0 }}>
      No alias routes to {baseline}.{' '}
      <Link to="/w/$slug/aliases/new" params={{ slug }} search={{ target_model: baseline, canary_model: candidate }}>
        Make one with {candidate} as its canary
      </Link>
    </p>
  )
}
