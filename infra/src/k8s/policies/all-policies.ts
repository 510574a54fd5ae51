import type { KubeObject } from '../kube-object.ts'
import { lifecycleProblems } from './lifecycle.ts'
import { neighbourProblems } from './neighbours.ts'
import { networkProblems } from './network.ts'
import { parityProblems } from './parity.ts'
import { placementProblems } from './placement.ts'
import { podSecurityProblems } from './pod-security.ts'
import { referenceProblems } from './references.ts'
import { scalingProblems } from './scaling.ts'
import { workloadProblems } from './workload-rules.ts'

/** What must hold of every rendered manifest of the fleet: each says what is wrong, and nothing when all is well. */
export const policies: Readonly<Record<string, (objects: readonly KubeObject[]) => readonly string[]>> = {
  lifecycle: lifecycleProblems,
  neighbours: neighbourProblems,
  network: networkProblems,
  parity: parityProblems,
  placement: placementProblems,
  podSecurity: podSecurityProblems,
  references: referenceProblems,
  scaling: scalingProblems,
  workloads: workloadProblems,
}
