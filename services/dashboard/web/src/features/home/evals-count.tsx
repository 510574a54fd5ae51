import { listEvals } from '@ratchet/contracts/evals'
import { useEffect } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { homeReads } from './home-reads.ts'

/** Reads how many evals are done. It is loaded after the page, because the contract of evals is large. */
export function EvalsCount({ onCount }: { readonly onCount: (evals: number) => void }): null {
  const total = useEndpoint(listEvals, homeReads.evals, { topics: ['evals'] }).data?.total
  useEffect(() => {
    if (total !== undefined) onCount(total)
  }, [total, onCount])
  return null
}
