public import CSQLite
enum CoreSkeleton {}
