import { useQueryClient } from '@tanstack/react-query'
import { Navigate, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { meQuery, useMe } from '../api/me.ts'
import { NotFound } from '../kit/states/not-found.tsx'

/** In place of every page of a workspace that the person has left, or was removed from. Nothing of it stays in memory. */
export function Lost(): ReactNode {
  const queries = useQueryClient()
  const { user } = useMe()
  const { href } = useLocation()
  useEffect(() => {
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== meQuery.queryKey[0] })
  }, [queries])
  return user === null ? <Navigate to="/sign-in" search={{ next: href }} replace /> : <NotFound />
}
