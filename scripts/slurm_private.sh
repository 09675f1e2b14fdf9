#!/usr/bin/env bash
# A private Slurm for a test: source this in bash, then slurm_up FOLDER NODES and slurm_down FOLDER.
#
# Nothing outside FOLDER is touched, no service manager, no root and no munge are needed, several
# nodes live on this host, and every daemon dies with the shell that sourced this file.

# slurm_configuration FOLDER NODES PORT: what slurm.conf says.
slurm_configuration() {
  local folder=$1 nodes=$2 port=$3 host user
  host=$(hostname -s)
  user=$(id -un)
  cat <<CONFIGURATION
ClusterName=fenceline
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd.%n.log
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=2000,sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
ReturnToService=0
SlurmctldTimeout=30
SlurmdTimeout=300
KillWait=2
MinJobAge=300
NodeName=n[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + nodes))] CPUs=1 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
CONFIGURATION
}

# slurm_up FOLDER NODES: returns when all nodes are idle; exports SLURM_CONF. Process ids go to
# FOLDER/pids, a line "name id" each.
slurm_up() {
  local folder=$1 nodes=$2 port=$((20000 + $$ % 20000)) end i
  mkdir -p "$folder"/{state,spool,log}
  slurm_configuration "$folder" "$nodes" "$port" >"$folder/slurm.conf"
  export SLURM_CONF=$folder/slurm.conf
  setpriv --pdeathsig KILL slurmctld -D -f "$SLURM_CONF" >"$folder/log/slurmctld.out" 2>&1 &
  echo "slurmctld $!" >"$folder/pids"
  for i in $(seq "$nodes"); do
    setpriv --pdeathsig KILL slurmd -D -N "n$i" -f "$SLURM_CONF" >"$folder/log/n$i.out" 2>&1 &
    echo "n$i $!" >>"$folder/pids"
  done
  end=$((SECONDS + 30))
  while [ $SECONDS -lt $end ]; do
    [ "$(timeout 2 sinfo -h -N -o %T 2>/dev/null | grep -c idle)" = "$nodes" ] && return 0
    sleep 0.2
  done
  echo "slurm: no $nodes idle nodes after 30 s" >&2
  return 1
}

# slurm_kill FOLDER NODE: the daemon of a node and all that runs on the node die at once.
slurm_kill() {
  local id
  id=$(awk -v name="$2" '$1 == name { print $2 }' "$1/pids")
  kill -9 "$id" 2>/dev/null
  slurm_kill_steps "$1" "$2"
}

# slurm_kill_steps FOLDER [NODE]: kills the steps of this Slurm, which outlive its daemons, with what
# runs in them; only those of one node, if one is named.
slurm_kill_steps() {
  local step child
  for step in $(pgrep -x slurmstepd); do
    tr '\0' '\n' 2>/dev/null <"/proc/$step/environ" | grep -qxF "SLURM_CONF=$1/slurm.conf" || continue
    if [ $# -gt 1 ] && ! slurm_step_is_on "$step" "$2"; then continue; fi
    for child in $(pgrep -P "$step"); do
      kill -9 -- "-$child" 2>/dev/null
      kill -9 "$child" 2>/dev/null
    done
    kill -9 "$step" 2>/dev/null
  done
  return 0
}

# slurm_step_is_on STEP NODE: whether what runs in a step was told that it is on the node.
slurm_step_is_on() {
  local child
  for child in $(pgrep -P "$1"); do
    tr '\0' '\n' 2>/dev/null <"/proc/$child/environ" | grep -qxF "SLURMD_NODENAME=$2" && return 0
  done
  return 1
}

# slurm_down FOLDER: cancels all jobs and ends everything that slurm_up has started.
slurm_down() {
  local folder=$1 id i alive
  [ -f "$folder/pids" ] || return 0
  export SLURM_CONF=$folder/slurm.conf
  timeout 5 scancel --full -u "$(id -un)" 2>/dev/null
  for i in $(seq 25); do
    [ -z "$(timeout 2 squeue -h 2>/dev/null)" ] && break
    sleep 0.2
  done
  while read -r _ id; do kill "$id" 2>/dev/null; done <"$folder/pids"
  for i in $(seq 25); do
    alive=0
    while read -r _ id; do kill -0 "$id" 2>/dev/null && alive=1; done <"$folder/pids"
    [ $alive = 0 ] && break
    sleep 0.2
  done
  while read -r _ id; do kill -9 "$id" 2>/dev/null; done <"$folder/pids"
  slurm_kill_steps "$folder"
  rm -f "$folder/pids"
}
