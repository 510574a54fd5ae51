import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { parseAllDocuments } from 'yaml'
import { repositoryRoot } from '../data-paths.ts'
import { findProgram } from '../find-program.ts'
import type { KubeObject } from './kube-object.ts'

export const manifestsFolder: string = path.join(repositoryRoot, 'k8s')

export type Render = (folder: string) => readonly KubeObject[]

/** What prints the objects of a kustomization, or null on a machine that has neither kubectl nor kustomize. */
export function findRenderer(): Render | null {
  const kubectl = findProgram('kubectl')
  const program = kubectl ?? findProgram('kustomize')
  if (program === null) return null
  const verb = kubectl === null ? 'build' : 'kustomize'
  return (folder) =>
    parseObjects(execFileSync(program, [verb, folder], { encoding: 'utf8', maxBuffer: 32 * 1024 ** 2 }))
}

/** The objects of a YAML stream. @throws Error that names the line which is no YAML */
export function parseObjects(text: string): readonly KubeObject[] {
  return parseAllDocuments(text).map((document) => {
    const [error] = document.errors
    if (error !== undefined) throw error
    return document.toJS() as KubeObject
  })
}
