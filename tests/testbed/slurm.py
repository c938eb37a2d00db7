#!/usr/bin/env python3
"""Slurm on pretend hosts: its controller on node1, its daemon on each. They end with the hosts."""

import os
import subprocess
import time

from hosts import Unavailable, find

# What Slurm thinks of a host: far more cores than there are, because tests start many processes.
CORES = 64
PACKAGES = {"munged": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd", "srun": "slurm-client", "sinfo": "slurm-client"}

CONFIGURATION = """
ClusterName=pretend
SlurmctldHost=node1
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={log}/slurmctld
SlurmdLogFile={log}/slurmd-%n
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/builtin
SlurmdParameters=config_overrides
TmpFS=/dev/shm
NodeName=node[1-{count}] CPUs={cores} State=UNKNOWN
PartitionName=all Nodes=node[1-{count}] Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
"""


def start(hosts):
    """Starts Slurm on the hosts; the environment in which srun works on them."""
    for tool, package in PACKAGES.items():
        if not find(tool):
            raise Unavailable(f"Slurm on pretend hosts needs {tool} (Debian's package {package})")
    if not hosts.as_root:
        raise Unavailable("Slurm on pretend hosts takes root: its daemon changes users")
    folder = hosts.folder / "slurm"
    (folder / "state").mkdir(parents=True)
    (folder / "slurm.conf").write_text(CONFIGURATION.format(folder=folder, log=hosts.folder / "log", count=hosts.count,
                                                            cores=CORES))
    # /tmp is the same on all hosts, where the PMIx servers of two would meet; /dev/shm is not.
    (folder / "mpi.conf").write_text("PMIxCliTmpDirBase=/dev/shm\n")
    (folder / "munge.key").write_bytes(os.urandom(1024))
    (folder / "munge.key").chmod(0o600)

    def daemon(host, *words):
        hosts.run(host, [find(words[0]), *words[1:]], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    try:
        daemon(1, "munged", "--force", f"--key-file={folder}/munge.key", f"--socket={folder}/munge.socket",
               f"--pid-file={folder}/munge.pid", f"--log-file={hosts.folder}/log/munge", f"--seed-file={folder}/munge.seed")
        daemon(1, "slurmctld", "-i", "-f", folder / "slurm.conf")
        for host in range(1, hosts.count + 1):
            daemon(host, "slurmd", "-f", folder / "slurm.conf")
    except subprocess.CalledProcessError as error:
        raise Unavailable(f"Slurm did not start on the pretend hosts: {error}\n{hosts.logs()}") from error
    environment = {"SLURM_CONF": f"{folder}/slurm.conf"}
    end = time.monotonic() + 30
    while True:
        idle = hosts.run(1, ["sinfo", "-h", "-t", "idle", "-o", "%D"], env={**os.environ, **environment},
                         capture_output=True, text=True).stdout.strip()
        if idle == str(hosts.count):
            hosts.settle()
            return environment
        if time.monotonic() > end:
            raise Unavailable(f"Slurm did not come up on the pretend hosts:\n{hosts.logs()}")
        time.sleep(0.1)
