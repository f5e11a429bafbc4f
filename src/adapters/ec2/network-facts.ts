/** Where tasks are placed, as far as it decides whether they reach anything. */
export interface NetworkFacts {
  readonly subnets: readonly SubnetFacts[];
  readonly securityGroups: readonly SecurityGroupFacts[];
  readonly endpoints: readonly EndpointFacts[];
}

export interface SubnetFacts {
  readonly id: string;
  readonly vpc: string;
  readonly freeAddresses: number;
  readonly routeTable: string;
  /** Where `0.0.0.0/0` goes: `igw-…`, `nat-…`, `tgw-…` and so on; undefined: nowhere. */
  readonly wayOut: string | undefined;
  /** What that route leads to is gone. */
  readonly isBlackhole: boolean;
}

export interface SecurityGroupFacts {
  readonly id: string;
  readonly vpc: string;
  /** Whether it has any rule for what leaves. */
  readonly letsOut: boolean;
}

/** A VPC endpoint that is available. */
export interface EndpointFacts {
  readonly vpc: string;
  /** The part behind the region: `ecr.api`, `s3`. */
  readonly service: string;
  /** Of a gateway endpoint; empty for interfaces, which serve the whole VPC. */
  readonly routeTables: readonly string[];
}
